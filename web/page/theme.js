// Light or dark: the system's, until the button says otherwise. The choice is kept in this browser
// alone, where it lets us.
const dark = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;

function kept() {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
}
function keep(theme) {
  try {
    localStorage.setItem('theme', theme);
  } catch {
    /* then for this visit */
  }
}
const isDark = () => (root.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark';

export function theme(button) {
  const said = kept();
  if (said === 'light' || said === 'dark') root.dataset.theme = said;
  const name = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Light theme' : 'Dark theme');
  };
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    keep(root.dataset.theme);
    name();
  });
  dark.addEventListener('change', name);
  name();
}
