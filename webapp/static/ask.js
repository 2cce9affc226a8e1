// The ask page made easier: examples, what belongs to a choice, the prompts' editors. All of it works without this file, too.

import { element } from "./elements.js";
import { keptPrompts, prompts } from "./prompts.js";

const form = document.querySelector("form.ask");
const question = document.getElementById("question");

form.classList.add("scripted");
examples();
regimes();
sending();
saved();
document.querySelector("#faults, #held")?.focus();
prompts(form);

function examples() {
  for (const link of form.querySelectorAll("a.example")) {
    const button = element("button", { type: "button", class: "example" }, link.textContent);
    button.addEventListener("click", () => {
      question.value = button.textContent;
      question.focus();
    });
    link.replaceWith(button);
  }
}

// What belongs to a choice shows with it.
function regimes() {
  const show = () => {
    for (const under of form.querySelectorAll("[data-regime]")) {
      under.hidden = under.dataset.regime !== form.elements.regime.value;
      under.querySelector("input").disabled = under.hidden;
    }
  };
  form.addEventListener("change", show);
  window.addEventListener("pageshow", show); // what a browser put back after "back"
  show();
}

// The short form sends the prompts that this browser keeps, unless it came with others.
function saved() {
  const said = document.getElementById("prompts-kept");
  const edits = said && !form.querySelector("[name^=prompt-]") ? Object.entries(keptPrompts()) : [];
  for (const [name, value] of edits) form.append(element("input", { type: "hidden", name: `prompt-${name}`, value }));
  if (edits.length) said.hidden = false;
}

function sending() {
  const button = document.getElementById("ask");
  const words = button.textContent;
  form.addEventListener("submit", (event) => {
    if (button.getAttribute("aria-disabled") === "true") return event.preventDefault();
    button.setAttribute("aria-disabled", "true");
    button.textContent = "Asking…";
  });
  window.addEventListener("pageshow", () => {
    button.removeAttribute("aria-disabled");
    button.textContent = words;
  });
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(button);
  });
}
