// Reading and checking an answer: cards of citations, the evidence table, copying. The page says everything without it too.

import { element, parsed } from "./elements.js";

const WIDE = window.matchMedia("(min-width: 1024px)");
const DELAY = 90; // ms a pointer rests on a citation before its card opens

// ---- sources: one card, beside the text where there is room, else under the sentence whose citation was chosen

const margin = document.querySelector(".margin");
const cards = new Map(); // cards by their address
let opener = null; // the citation whose card is shown
let wanted = "";
let waiting = 0;
let returning = false; // the focus goes back to a citation whose card was just closed

const shownCard = () => document.getElementById("cite-card");
const isUnder = () => shownCard()?.classList.contains("under") ?? false;

async function fetched(address) {
  if (!cards.has(address)) {
    const reply = await fetch(address);
    if (!reply.ok) throw new Error(`${reply.status}`);
    cards.set(address, parsed(await reply.text()));
  }
  return cards.get(address);
}

function close({ focus = false } = {}) {
  const back = opener;
  if (isUnder()) beside(shownCard());
  opener?.setAttribute("aria-expanded", "false");
  opener = null;
  if (focus) {
    returning = true;
    back?.focus();
    returning = false;
  }
}

function beside(card) {
  card.classList.remove("under");
  card.querySelector(".close").hidden = true;
  margin.replaceChildren(card);
}

// Under its sentence, or in its row. What is read stays where it is, unless the card would be out of sight.
function under(card, cite) {
  const line = cite.getBoundingClientRect().top;
  shownCard()?.remove();
  card.classList.add("under");
  card.querySelector(".close").hidden = false;
  const cell = cite.closest("th, td, li, dd");
  if (cell) cell.append(card);
  else (cite.closest(".sentence") ?? cite.closest("p")).after(card);
  const now = cite.getBoundingClientRect().top;
  const { top, height } = card.getBoundingClientRect();
  const hidden = top - (now - line) + Math.min(height, 280) + 96 - window.innerHeight;
  window.scrollBy({ top: now - line + Math.max(0, Math.min(hidden, line - 64)), behavior: "instant" });
}

// The sentence whose source is shown is marked, and its passage brought into the card's view.
function show(card, cite, below) {
  document.querySelectorAll(".is-read").forEach((one) => one.classList.remove("is-read"));
  cite?.closest(".sentence")?.classList.add("is-read");
  if (below) under(card, cite);
  else beside(card);
  toPassage(card);
}

function toPassage(card) {
  const text = card.querySelector(".abstract");
  const passage = text?.querySelector("mark");
  if (passage) text.scrollTop = passage.offsetTop - 24; // the abstract is positioned
}

async function open(cite, { focus = false } = {}) {
  const below = !WIDE.matches || !cite.closest(".answer .text");
  if (cite === opener && below === isUnder()) {
    if (focus && below) close({ focus: true });
    else if (focus) shownCard().focus({ preventScroll: true });
    return;
  }
  const { n, sentence = "" } = cite.dataset;
  const address = `${margin.dataset.sources}${n}?card=1${sentence ? `&sentence=${sentence}` : ""}`;
  wanted = address;
  let card;
  try {
    card = await fetched(address);
  } catch {
    if (focus) location.href = `${margin.dataset.sources}${n}`;
    return;
  }
  if (wanted !== address) return; // another was asked for meanwhile
  opener?.setAttribute("aria-expanded", "false");
  opener = cite;
  cite.setAttribute("aria-expanded", "true");
  show(card, cite, below);
  if (focus) card.focus({ preventScroll: true });
}

function citeOf(event, within = "*") {
  const cite = event.target instanceof Element ? event.target.closest("a.cite[data-n]") : null;
  return cite?.closest(within) ? cite : null;
}

// The source beside the text is that of the sentence at the reader's eye: a third down the window.
function follow() {
  if (!WIDE.matches || isUnder() || margin.contains(document.activeElement)) return;
  const pointed = document.querySelector(".answer .text a.cite:is(:hover, :focus-visible)")?.getBoundingClientRect();
  if (pointed && pointed.bottom > 0 && pointed.top < window.innerHeight) return;
  const line = window.innerHeight / 3;
  const answer = margin.closest(".answer").getBoundingClientRect();
  if (answer.bottom < line || answer.top > window.innerHeight) return;
  const read = [...document.querySelectorAll(".answer .sentence:has(a.cite)")]
    .filter((one) => one.getBoundingClientRect().top <= line).at(-1);
  const cite = read?.querySelector("a.cite");
  if (cite && read.id !== shownCard()?.dataset.sentence) open(cite);
}

if (margin) {
  const first = shownCard();
  const { n, sentence } = first.dataset;
  cards.set(`${margin.dataset.sources}${n}?card=1${sentence ? `&sentence=${sentence}` : ""}`, first);
  if (WIDE.matches && sentence) show(first, document.querySelector(`#${sentence} a.cite`), false);
  else toPassage(first);
  document.addEventListener("pointerover", (event) => {
    const cite = event.pointerType === "mouse" ? citeOf(event, ".answer") : null;
    clearTimeout(waiting);
    if (cite && WIDE.matches) waiting = setTimeout(() => open(cite), DELAY);
  });
  document.addEventListener("focusin", (event) => {
    const cite = citeOf(event, ".answer .text");
    if (!returning && WIDE.matches && cite?.matches(":focus-visible")) open(cite);
  });
  document.addEventListener("click", (event) => {
    const cite = citeOf(event);
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (cite && plain) {
      event.preventDefault();
      clearTimeout(waiting);
      open(cite, { focus: true });
    } else if (event.target instanceof Element && event.target.closest("#cite-card .close")) {
      close({ focus: true });
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !(isUnder() || shownCard().contains(document.activeElement))) return;
    event.preventDefault();
    close({ focus: shownCard().contains(document.activeElement) });
  });
  let scrolled = 0;
  document.addEventListener("scroll", () => {
    clearTimeout(scrolled);
    scrolled = setTimeout(follow, DELAY);
  }, { passive: true });
  WIDE.addEventListener("change", () => close());
  document.querySelectorAll("a.cite[data-n]").forEach((cite) => cite.setAttribute("aria-expanded", "false"));
}

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

const every = document.querySelector(".all-rows");
every?.addEventListener("click", (event) => {
  event.preventDefault();
  table.classList.add("all");
  const next = document.querySelector(every.hash);
  every.closest("p").hidden = true;
  next.querySelector("a").focus();
});

if (table && filters) {
  filters.hidden = false;
  const shown = filters.querySelector(".shown");
  const rows = [...table.tBodies[0].rows];
  const filter = () => {
    if (isUnder()) close();
    const words = filters.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const design = filters.elements.design?.value;
    const way = filters.elements.way?.value;
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = words.every((word) => text.includes(word))
        && (!design || row.dataset.design === design) && (!way || row.dataset.way === way);
      row.hidden = !fits;
      count += fits;
    }
    table.classList.toggle("filtered", count < rows.length);
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

for (const button of document.querySelectorAll("button.print")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

// What an address leads to is opened, where it lies in something folded.
function reveal() {
  const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  const details = target?.closest("details") ?? (target?.matches("li[id^=article-]") ? target.querySelector("details") : null);
  if (details) details.open = true;
}
window.addEventListener("hashchange", reveal);
reveal();
