// Reading and checking an answer: cards of citations, the evidence table, copying. The page says everything without it too.

import { element } from "./elements.js";

const WIDE = window.matchMedia("(min-width: 1000px)");
const DELAY = 90; // ms a pointer rests on a citation before its card opens

// ---- cards

const margin = document.querySelector(".margin");
let card = null;
let opener = null;
let waiting = 0;
let returning = false; // the focus goes back to a citation whose card was just closed

function close({ focus = false } = {}) {
  if (!card) return;
  const back = opener;
  card.remove();
  margin?.classList.remove("has-card");
  document.querySelectorAll(".is-read").forEach((one) => one.classList.remove("is-read"));
  opener?.setAttribute("aria-expanded", "false");
  card = opener = null;
  if (focus) {
    returning = true;
    back?.focus();
    returning = false;
  }
}

// What a card shows is copied from the reference on the page, whose text the server escaped.
function build(reference, sentence) {
  const built = element("section", { class: "card cite-card" });
  built.id = "cite-card";
  built.tabIndex = -1;
  const head = element("h2", {}, `[${reference.id.slice(4)}] ${reference.dataset.short}`);
  head.id = "cite-card-head";
  built.setAttribute("aria-labelledby", head.id);
  const shut = element("button", { class: "close quiet" }, "×");
  shut.type = "button";
  shut.setAttribute("aria-label", "Close");
  shut.addEventListener("click", () => close({ focus: true }));
  built.append(shut, head, element("p", { class: "title" }, reference.dataset.title));
  for (const selector of [".citation .chip", ".facts", ".ref-notice"]) {
    for (const part of reference.querySelectorAll(selector)) {
      if (part.textContent.trim()) built.append(part.cloneNode(true));
    }
  }
  const all = [...reference.querySelectorAll(".passage")];
  const of = sentence ? all.filter((one) => one.dataset.sentence === sentence) : all;
  for (const passage of of.length ? of : all) built.append(passage.cloneNode(true));
  const others = all.length - of.length;
  const links = reference.querySelector(".links");
  const foot = element("p", { class: "small" });
  if (links) foot.append(links.cloneNode(true));
  const more = element("a", {}, sentence && others > 0 ? `Reference, and ${others} more ${others === 1 ? "sentence" : "sentences"}` : "Reference");
  more.href = `#${reference.id}`;
  more.addEventListener("click", () => {
    const details = reference.querySelector("details");
    if (details) details.open = true;
    close();
  });
  foot.append(more);
  built.append(foot);
  return built;
}

function open(cite) {
  if (cite === opener) return;
  const reference = document.getElementById(`ref-${cite.dataset.n}`);
  if (!reference) return;
  close();
  opener = cite;
  card = build(reference, cite.dataset.sentence);
  cite.setAttribute("aria-expanded", "true");
  cite.closest(".sentence")?.classList.add("is-read");
  const inAnswer = margin && cite.closest(".answer");
  if (inAnswer) {
    margin.append(card);
    margin.classList.add("has-card");
    place(cite);
  } else {
    card.classList.add("afloat");
    document.body.append(card);
    if (!WIDE.matches) uncover(cite);
  }
}

// On a phone the card lies below: what it explains is brought above it.
function uncover(cite) {
  const hidden = cite.getBoundingClientRect().bottom + 16 - card.getBoundingClientRect().top;
  if (hidden > 0) window.scrollBy({ top: hidden, behavior: "instant" });
}

// Beside the line that is read, moved up where it would end below the window or the answer.
function place(cite) {
  if (!WIDE.matches) {
    uncover(cite);
    return;
  }
  const column = margin.getBoundingClientRect();
  const wanted = cite.getBoundingClientRect().top - 12;
  const lowest = window.innerHeight - card.offsetHeight - 16;
  const top = Math.max(column.top, Math.min(wanted, Math.max(lowest, 8)));
  card.style.top = `${Math.round(top - column.top)}px`;
}

// Within the answer a card opens when a citation is pointed at; elsewhere it would cover what is read, and waits for a click.
function citeOf(event, within = "*") {
  const cite = event.target instanceof Element ? event.target.closest("a.cite[data-n]") : null;
  return cite?.closest(within) ? cite : null;
}

document.addEventListener("pointerover", (event) => {
  const cite = event.pointerType === "mouse" ? citeOf(event, ".answer") : null;
  clearTimeout(waiting);
  if (cite) waiting = setTimeout(() => open(cite), DELAY);
});
document.addEventListener("focusin", (event) => {
  const cite = citeOf(event, ".answer");
  if (!returning && cite?.matches(":focus-visible")) open(cite);
});
document.addEventListener("click", (event) => {
  const cite = citeOf(event);
  if (cite && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    open(cite);
    card?.focus({ preventScroll: true });
  } else if (card && !WIDE.matches && event.target instanceof Node && !card.contains(event.target)) {
    close();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && card) {
    event.preventDefault();
    close({ focus: card.contains(document.activeElement) });
  }
});
WIDE.addEventListener("change", () => close());
document.querySelectorAll("a.cite[data-n]").forEach((cite) => cite.setAttribute("aria-expanded", "false"));
document.querySelectorAll(".card-hint").forEach((hint) => { hint.hidden = false; });

// ---- the evidence table

const table = document.querySelector("table.evidence");
const filters = document.querySelector("form.filters");

function compare(one, other, kind) {
  if (one === other) return 0;
  if (one === "") return 1; // what is not stated comes last, whichever way
  if (other === "") return -1;
  return kind === "number" ? Number(one) - Number(other) : one.localeCompare(other);
}

function textOfCell(cell) {
  const text = (cell.dataset.value ?? cell.textContent).trim();
  return text === "–" ? "" : text;
}

function sortBy(head) {
  const heads = [...head.parentElement.children];
  const column = heads.indexOf(head);
  const up = head.getAttribute("aria-sort") !== "ascending";
  heads.forEach((one) => one.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const body = table.tBodies[0];
  const value = (row) => textOfCell(row.children[column]);
  const rows = [...body.rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    const order = compare(a, b, head.dataset.sort);
    return up || a === "" || b === "" ? order : -order;
  });
  body.append(...rows);
}

if (table) {
  for (const head of table.querySelectorAll("thead th[data-sort]")) {
    const button = element("button", {}, head.textContent);
    button.type = "button";
    button.addEventListener("click", () => sortBy(head));
    head.replaceChildren(button);
  }
}

// On a phone, filters and sorting are folded until they are asked for.
const tools = document.querySelector("details.table-tools");
if (tools) {
  const narrow = window.matchMedia("(max-width: 640px)");
  const fold = () => { tools.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  tools.hidden = false;
  fold();
}

if (table && filters) {
  const shown = filters.querySelector(".shown");
  const rows = [...table.tBodies[0].rows];
  const filter = () => {
    const words = filters.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { value: design } = filters.elements.design;
    const { value: way } = filters.elements.way;
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = words.every((word) => text.includes(word))
        && (!design || row.dataset.design === design) && (!way || row.dataset.way === way);
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = count === rows.length ? "" : `${count} of ${rows.length} studies shown`;
  };
  filters.addEventListener("input", filter);
  filters.addEventListener("submit", (event) => event.preventDefault());
}

// ---- copying

function textOf(id) {
  const source = document.getElementById(id);
  return source instanceof HTMLTextAreaElement ? source.value : source.href;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No secure context, or not allowed: the old way.
    const field = element("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

const copied = document.querySelector(".copied");
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  const words = button.textContent;
  button.addEventListener("click", async () => {
    const done = await copy(textOf(button.dataset.copy));
    button.textContent = done ? "Copied" : words;
    if (copied) copied.textContent = done ? "Copied to the clipboard." : "This browser does not allow copying; use the text export.";
    setTimeout(() => {
      button.textContent = words;
      if (copied) copied.textContent = "";
    }, 2500);
  });
}

// ---- printing: an answer on paper is checked with the passages that it rests on

for (const link of document.querySelectorAll("a.print-passages")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const shut = [...document.querySelectorAll("details.passages:not([open])")];
    shut.forEach((details) => { details.open = true; });
    window.addEventListener("afterprint", () => shut.forEach((details) => { details.open = false; }), { once: true });
    window.print();
  });
}

// What an address leads to is opened, where it lies in something folded.
function reveal() {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  const details = target?.closest("details") ?? (target?.matches("li[id^=article-]") ? target.querySelector("details") : null);
  if (details) details.open = true;
}
window.addEventListener("hashchange", reveal);
reveal();
