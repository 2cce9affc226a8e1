// Keeps the page of a running run up to date: changes come as HTML of single parts, made by the server. Nothing here decides
// what is shown; it puts parts into their places, counts the seconds down, and says the steps to those who listen.

const root = document.getElementById("watch");
const by = (id) => document.getElementById(id);

const ANNOUNCE_MS = 5000;
const LOST_MS = 2500;

// The CSP may require Trusted Types (policy "clinfo"). What comes from our own server is rendered with autoescape.
const policy = window.trustedTypes ? window.trustedTypes.createPolicy("clinfo", { createHTML: (html) => html }) : null;

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(html) : html;
  return template.content.firstElementChild;
}

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
  const said =
    left === null ? "" : left >= 1 ? `about ${left} s left for searching and reading` : "time is up: the answer is made of what has been read";
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

// ---- the end

function busy() {
  const selection = document.getSelection();
  const reading = selection && !selection.isCollapsed && root.contains(selection.anchorNode);
  return reading || root.querySelector("details[open]") !== null;
}

function show() {
  location.replace(location.pathname + location.search);
}

function end() {
  if (!busy()) return show();
  by("ready").hidden = false;
  by("announcement").textContent = by("said")?.textContent ?? "The answer is ready";
  by("show").addEventListener("click", show);
}

// ---- the stream

let lost = null;

function connected() {
  clearTimeout(lost);
  lost = null;
  by("connection").hidden = true;
}

function disconnected() {
  lost ??= setTimeout(() => (by("connection").hidden = false), LOST_MS);
}

function watch() {
  const seq = Number(root.dataset.seq);
  const source = new EventSource(root.dataset.changes + (seq >= 0 ? `?after=${root.dataset.seq}` : ""));
  source.onopen = connected;
  source.onmessage = ({ data }) => {
    connected();
    const change = JSON.parse(data);
    change.patches.forEach(apply);
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
