// A correction changes the page in place: what the server answers to the form takes the place of what is shown.

import { parsed } from "./elements.js";

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-edit]");
  if (!form) return;
  event.preventDefault();
  const card = form.closest("li[id^='study-']").id;
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const reply = await fetch(form.action, { method: "POST", body: new FormData(form) });
    const page = (await reply.text()).match(/<article class="trials">[^]*<\/article>/);
    if (!page) throw new Error(`${reply.status}`);
    document.querySelector("article.trials").replaceWith(parsed(page[0]));
    document.getElementById(card).focus();
  } catch {
    form.removeAttribute("data-edit"); // the browser shows what the server says
    button.disabled = false;
    form.requestSubmit();
  }
});
