/** The looks of a list. Colours follow the page's `color-scheme`; custom properties and parts change them. */
export const LIST_STYLE = `
:host {
  display: flex;
  flex-direction: column;
  box-sizing: border-box;
  block-size: var(--offstage-list-height, 20rem);
  contain: content;
  overflow: hidden;
  color: var(--offstage-list-color, light-dark(#1b1b1f, #e4e2e6));
  background: var(--offstage-list-background, light-dark(#ffffff, #1b1b1f));
  border: 1px solid var(--offstage-list-border, light-dark(#767680, #90909a));
  border-radius: var(--offstage-list-radius, 0.375rem);
}
:host([hidden]) { display: none; }
[part='viewport'] {
  flex: 1 1 auto;
  min-block-size: 0;
  overflow: hidden auto;
  overflow-anchor: none;
  outline: none;
}
[part='space'] { position: relative; }
[part='window'] { position: absolute; inset-inline: 0; }
[part~='row'] {
  display: flex;
  align-items: center;
  gap: 0.5em;
  box-sizing: border-box;
  block-size: var(--row-height, var(--offstage-list-row-height, auto));
  padding: 0.375em 0.75em;
  overflow: hidden;
  white-space: nowrap;
}
[role='option'] { cursor: default; user-select: none; }
[role='option']:hover { background: var(--offstage-list-hover, light-dark(#f0f0f4, #2b2b30)); }
[part~='selected'], [part~='selected']:hover {
  color: var(--offstage-list-selected-color, light-dark(#ffffff, #12121a));
  background: var(--offstage-list-selected-background, light-dark(#2f4bb8, #b9c3ff));
}
[part='viewport']:focus-visible [part~='active'] {
  outline: 2px solid var(--offstage-list-focus, light-dark(#1b1b1f, #ffffff));
  outline-offset: -2px;
}
[part='viewport']:focus-visible [part~='selected'][part~='active'] { outline-color: currentColor; outline-offset: -4px; }
[part='icon'] { flex: none; block-size: 1.25em; inline-size: 1.25em; object-fit: contain; }
[part='label'] { overflow: hidden; text-overflow: ellipsis; }
@media (forced-colors: active) {
  [part~='selected'], [part~='selected']:hover { forced-color-adjust: none; color: HighlightText; background: Highlight; }
}
`;
