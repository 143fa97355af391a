// Elements. Text of the user's reaches the page through text nodes only.
const SVG = "http://www.w3.org/2000/svg";
const at = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}
const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const put = (parent, ...children) => parent.replaceChildren(...children.filter((one) => one !== null));
const label = (k) => make("bdi", { class: "label", title: data.answers[k] }, data.answers[k]);
const vary = (element, name, value) => { element.style.setProperty(name, String(value)); return element; };

let announced = 0;
function announce(text) {
  clearTimeout(announced);
  announced = setTimeout(() => { at("live").textContent = text; }, 250);
}

function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { class: "quiet-only", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
