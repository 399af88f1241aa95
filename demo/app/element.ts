type Kind<E extends Element> = abstract new () => E;

/** The element of index.html by that selector; that it is there and of that kind is part of the page. */
export function find<E extends Element>(selector: string, kind: Kind<E>, root: ParentNode = document): E {
  const element = root.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`The page has no ${kind.name} at ${selector}.`);
}

/** A `data-part` of something stamped. */
export function part<E extends Element>(root: ParentNode, name: string, kind: Kind<E>): E {
  return find(`[data-part="${name}"]`, kind, root);
}

/** A copy of the one element in `<template id="NAME-template">`. */
export function stamp<E extends Element>(name: string, kind: Kind<E>): E {
  const template = find(`#${name}-template`, HTMLTemplateElement);
  const copy = document.importNode(template.content, true).firstElementChild;
  if (copy instanceof kind) return copy;
  throw new Error(`The template ${name} holds no ${kind.name}.`);
}

/** Sets the texts of `data-field` elements; those that stay the same are not touched, so that nothing is re-read. */
export function fill(root: ParentNode, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    const field = root.querySelector(`[data-field="${name}"]`);
    if (field && field.textContent !== text) field.textContent = text;
  }
}

/** Shows a text in an element that is hidden when there is nothing to say. */
export function say(element: HTMLElement, text: string | null): void {
  element.hidden = text === null;
  if (element.textContent !== (text ?? '')) element.textContent = text;
}
