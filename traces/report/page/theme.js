// Light or dark: as the system says, or as the reader does. Colours come from the style sheet alone.
Senn.theme = (() => {
  const ORDER = ['auto', 'light', 'dark'];
  const listeners = [];
  let colours = new Map();

  const changed = () => {
    colours = new Map();
    listeners.forEach((tell) => tell());
  };

  const parsed = (text) => {
    const hex = /^#(..)(..)(..)$/.exec(text.trim());
    return hex ? hex.slice(1).map((part) => parseInt(part, 16) / 255) : [0.5, 0.5, 0.5];
  };

  // A colour by its variable, as [red, green, blue] from 0 to 1.
  const rgb = (name) => {
    if (!colours.has(name)) {
      colours.set(name, parsed(getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)));
    }
    return colours.get(name);
  };

  const css = (name, alpha = 1) => {
    const [red, green, blue] = rgb(name).map((part) => Math.round(255 * part));
    return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
  };

  const mixed = (name, other, share) => {
    const [a, b] = [rgb(name), rgb(other)];
    return a.map((part, k) => (1 - share) * part + share * b[k]);
  };

  // Letters on a colour: black or white, whichever can be read.
  const over = (colour) => {
    const linear = colour.map((part) => (part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.18 ? '#000' : '#fff';
  };

  const choose = (button, choice) => {
    if (choice === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    button.textContent = `theme: ${choice}`;
    changed();
  };

  // The button goes round; a page from a file may have no storage, so the choice lasts as long as the page.
  const wire = (button) => {
    let at = 0;
    choose(button, ORDER[at]);
    button.addEventListener('click', () => {
      at = (at + 1) % ORDER.length;
      choose(button, ORDER[at]);
    });
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
    // On paper everything is light, whatever the screen is.
    const screen = {};
    window.addEventListener('beforeprint', () => {
      screen.theme = document.documentElement.dataset.theme;
      document.documentElement.dataset.theme = 'light';
      changed();
      listeners.forEach((tell) => tell(true));
    });
    window.addEventListener('afterprint', () => choose(button, screen.theme ?? 'auto'));
  };

  return { rgb, css, mixed, over, wire, on: (tell) => listeners.push(tell) };
})();
