// Keeps the page of a running run up to date: changes come as HTML of single parts, made by the server. Nothing here decides
// what is shown; it puts parts into their places, counts the seconds down, says the steps to those who listen, and makes the
// page the answer when the run has ended.

import { element, parsed } from "./elements.js";

const root = document.getElementById("watch");
const by = (id) => document.getElementById(id);

const ANNOUNCE_MS = 5000;
const LOST_MS = 2500;
const LATE_MS = 2000;

// Makes `now` equal to `wanted` without throwing away what is equal already: selections, focus and open cards stay.
function morph(now, wanted) {
  if (now.isEqualNode(wanted)) return;
  if (now.nodeType !== wanted.nodeType || now.nodeName !== wanted.nodeName || now.id !== wanted.id) {
    now.replaceWith(wanted);
    return;
  }
  if (now.nodeType !== Node.ELEMENT_NODE) {
    now.data = wanted.data;
    return;
  }
  for (const { name, value } of wanted.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  for (const { name } of [...now.attributes]) {
    const kept = name === "open" && now.nodeName === "DETAILS"; // the reader opened it
    if (!wanted.hasAttribute(name) && !kept) now.removeAttribute(name);
  }
  const theirs = [...wanted.childNodes];
  const ours = [...now.childNodes];
  ours.slice(theirs.length).forEach((node) => node.remove());
  theirs.forEach((node, place) => (place < ours.length ? morph(ours[place], node) : now.append(node)));
}

function apply({ target, how, html }) {
  const place = by(target);
  const wanted = parsed(html);
  if (!place || !wanted) return;
  const there = how === "append" ? by(wanted.id) : place;
  if (!there) {
    wanted.classList.add("fresh");
    wanted.addEventListener("animationend", () => wanted.classList.remove("fresh"), { once: true });
    place.append(wanted);
  } else {
    morph(there, wanted);
  }
}

// What is finished folds to a line, unless somebody is reading there; a text that is being written is followed to its end.
function arrange() {
  for (const fold of root.querySelectorAll("details[data-folds-after]")) {
    if (!by(fold.dataset.foldsAfter)?.matches(".done, .left-out")) continue;
    const used = fold.matches(":hover") || fold.contains(document.activeElement) || fold.querySelector("details[open]");
    if (!used) fold.open = false;
    fold.removeAttribute("data-folds-after");
  }
}

function following(change) {
  const ends = [...root.querySelectorAll(".follow:has(.streaming)")].filter((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 40);
  change();
  for (const one of ends) one.scrollTop = one.scrollHeight;
}

// ---- seconds left

let deadline = null;

function countdown(left) {
  deadline = left === null || left === undefined || Number.isNaN(left) ? null : performance.now() + left * 1000;
  tick();
}

function tick() {
  const place = by("left");
  if (!place) return;
  const left = deadline === null ? null : Math.round((deadline - performance.now()) / 1000);
  const said = left === null || left < 1 ? "" : `about ${left} s left for reading`;
  if (place.textContent !== said) place.textContent = said;
}

// ---- what is said to those who listen: steps, not every word, and not too often

let announced = by("said")?.textContent ?? "";
let announcing = null;

function announce() {
  if (announcing) return;
  announcing = setTimeout(() => {
    announcing = null;
    const said = by("said")?.textContent ?? "";
    if (said === announced) return;
    announced = said;
    by("announcement").textContent = said;
  }, ANNOUNCE_MS);
}

// ---- the end: the page becomes the answer where it stands

const MARKED = "[data-answer], .sentence[id], .article";
const FOCUSABLE = "a[href], button, summary, input, select, textarea, [tabindex]";

const selects = () => {
  const selection = document.getSelection();
  return selection && !selection.isCollapsed && root.contains(selection.anchorNode);
};
const inWindow = (one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
};
const cardOpen = (one) => one.querySelector("details")?.open && one.matches(".article");

// What is being read: what has the focus, else a card that was opened, else, once scrolled, what is nearest to the first third.
function beingRead(marked) {
  const focused = document.activeElement?.closest(MARKED);
  if (focused && root.contains(focused)) return focused;
  const seen = marked.filter(inWindow);
  const opened = seen.find(cardOpen);
  if (opened || window.scrollY < 8) return opened ?? null;
  const third = window.innerHeight / 3;
  const far = (one) => Math.abs(one.getBoundingClientRect().top - third);
  return seen.sort((one, other) => far(one) - far(other))[0] ?? null;
}

// Finds in `next` what the reader has open, focused and before the eyes; what the answer does not show comes along as it is.
// Returns what restores it once `next` is the page.
function hold(next) {
  const marked = [...root.querySelectorAll(MARKED)];
  const focus = root.contains(document.activeElement) ? document.activeElement : null;
  const read = beingRead(marked);
  const top = read?.getBoundingClientRect().top;
  const along = element("ol", { class: "articles" });
  const places = new Map();
  for (const one of new Set([...marked.filter(cardOpen), read])) {
    if (!one) continue;
    let there = next.querySelector(`#${one.dataset.answer || one.id}`);
    const cared = cardOpen(one) || one.contains(focus);
    if (cared && one.matches(".article") && !there?.querySelector("details")) along.append((there = one));
    if (there) places.set(one, there);
  }
  for (const one of along.querySelectorAll(".n")) one.removeAttribute("id"); // the answer has one of its own
  if (along.children.length) {
    const section = element("section", { class: "watch still-open", "aria-labelledby": "still-open" });
    const title = element("h2", { id: "still-open" }, "Still open from while the run went on");
    section.append(document.querySelector("svg.sprite").cloneNode(true), title, along);
    const studies = next.querySelector("#evidence")?.closest("section");
    if (studies) studies.after(section);
    else next.querySelector("main").append(section);
  }
  const opened = [...places].filter(([one]) => cardOpen(one)).map(([, there]) => there);
  let there = places.get(read);
  const stay = () => {
    if (there) window.scrollBy({ top: there.getBoundingClientRect().top - top, behavior: "instant" });
  };
  return () => {
    for (const one of opened) {
      const card = one.querySelector("details");
      if (card) card.open = true;
    }
    for (let fold = there?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    const studies = there?.closest("table.evidence");
    if (studies && !there.checkVisibility()) studies.classList.add("all"); // it stands below the first ten
    if (there && !there.checkVisibility()) there = there.closest("section");
    stay();
    if (focus) focusOn(focus, there ?? document.querySelector("main"));
    return stay;
  };
}

function focusOn(before, there) {
  const options = { preventScroll: true };
  if (before.isConnected) return before.focus(options);
  const all = [...there.querySelectorAll(FOCUSABLE)].filter((one) => one.checkVisibility());
  const alike = (one) => one.nodeName === before.nodeName && one.textContent.trim() === before.textContent.trim();
  const twin = all.find(alike) ?? (before.matches("summary") ? all.find((one) => one.matches("summary")) : null) ?? there;
  if (twin === there && !there.matches(FOCUSABLE)) there.tabIndex = -1;
  twin.focus(options);
}

const addresses = (where, selector, name) => [...where.querySelectorAll(selector)].map((one) => one.getAttribute(name));

// Loads a sheet that changes nothing yet.
function loaded(address) {
  return new Promise((done) => {
    const sheet = element("link", { rel: "stylesheet", href: address, media: "not all" });
    sheet.onload = sheet.onerror = () => done(sheet);
    document.head.append(sheet);
  });
}

async function become() {
  const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
  const next = parsed(`<div>${await answer.text()}</div>`);
  if (!answer.ok || !next.querySelector("main") || next.querySelector("#watch")) return location.reload();
  const sheets = addresses(document, "link[rel=stylesheet]", "href");
  const wanted = addresses(next, "link[rel=stylesheet]", "href").filter((one) => !sheets.includes(one));
  const fresh = await Promise.all(wanted.map(loaded));
  const restore = hold(next);
  for (const sheet of fresh) sheet.media = "all";
  const announcement = by("announcement");
  document.body.append(announcement);
  document.title = next.querySelector("title").textContent;
  for (const place of ["main", "footer.site"]) {
    document.querySelector(place).replaceChildren(...next.querySelector(place).childNodes);
  }
  const stay = restore();
  // What comes late (a script, a picture) moves nothing either, until the reader does something.
  const late = new ResizeObserver(stay);
  late.observe(document.querySelector("main"));
  const over = () => late.disconnect();
  for (const type of ["wheel", "touchstart", "pointerdown", "keydown"]) window.addEventListener(type, over, { once: true, passive: true });
  setTimeout(over, LATE_MS);
  await Promise.all(addresses(next, "script[type=module][src]", "src").map((one) => import(one)));
  stay();
  announcement.textContent = "The answer is ready";
}

const show = () => become().catch(() => location.reload());

// A text that is selected is left alone until it is no longer.
function end() {
  if (!selects()) return show();
  by("ready").hidden = false;
  by("announcement").textContent = by("said")?.textContent ?? "The answer is ready";
  by("show").addEventListener("click", show, { once: true });
}

// ---- the stream

let lost = null;

function connected() {
  clearTimeout(lost);
  lost = null;
  if (by("connection")) by("connection").hidden = true;
}

function disconnected() {
  lost ??= setTimeout(() => by("connection") && (by("connection").hidden = false), LOST_MS);
}

function watch() {
  const seq = Number(root.dataset.seq);
  const source = new EventSource(root.dataset.changes + (seq >= 0 ? `?after=${root.dataset.seq}` : ""));
  source.onopen = connected;
  source.onmessage = ({ data }) => {
    connected();
    const change = JSON.parse(data);
    following(() => change.patches.forEach(apply));
    arrange();
    root.dataset.seq = change.seq;
    countdown(change.left);
    announce();
    if (change.over) {
      source.close();
      end();
    }
  };
  source.onerror = () => {
    disconnected();
    if (source.readyState !== EventSource.CLOSED) return; // it tries again by itself, from where it was
    // Refused or nothing more to come: the page knows better.
    fetch(location.pathname, { headers: { Accept: "text/html" } }).then(
      (answer) => (answer.status === 503 || answer.status === 429 ? again() : show()),
      again,
    );
  };
}

function again() {
  setTimeout(watch, 3000);
}

if (root?.dataset.changes) {
  const left = by("left")?.dataset.left;
  countdown(left === undefined ? null : Number(left));
  setInterval(tick, 1000);
  watch();
}
