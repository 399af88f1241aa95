// Takes on the colours that were chosen on the sheet, now and when the choice changes there. It is a file of its own, and
// first, so that nothing is ever painted in others.
'use strict';

function takeTheme() {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

takeTheme();
addEventListener('storage', takeTheme);
