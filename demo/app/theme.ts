import { fill, find } from './element.ts';

type Theme = 'auto' | 'light' | 'dark';

const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };
const LABELS: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' };
const KEY = 'theme';

/** Follows the system until somebody chooses otherwise; the choice is remembered. */
export function startTheme(): void {
  const button = find('#theme', HTMLButtonElement);
  let theme = read();
  const show = (): void => {
    const root = document.documentElement;
    if (theme === 'auto') delete root.dataset['theme'];
    else root.dataset['theme'] = theme;
    fill(button, { label: LABELS[theme] });
    const words = theme === 'auto' ? 'as the system has them' : theme;
    button.setAttribute('aria-label', `Colours: ${words}`);
  };
  button.addEventListener('click', () => {
    theme = NEXT[theme];
    localStorage.setItem(KEY, theme);
    show();
  });
  show();
}

function read(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}
