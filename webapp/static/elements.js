// Elements made with text, never with markup.

export function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// The CSP may require Trusted Types (policy "clinfo"). What comes from our own server is rendered with autoescape.
const policy = window.trustedTypes?.createPolicy("clinfo", { createHTML: (html) => html });

export function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(html) : html;
  return template.content.firstElementChild;
}
