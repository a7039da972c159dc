'use strict';
// The one name that this page adds to the browser's. Every file below adds one idea to it.
const Senn = {};

// An element with its attributes and children; texts are texts, never markup. A function is a click.
Senn.make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

// Makes a canvas as wide as there is room, up to `most`, and as high as asked; in pixels of the screen there
// are `ratio` for each of the page's. A page that is not laid out yet has no width.
Senn.fit = (canvas, heightOf, most = Infinity) => {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = Math.max(Math.min(canvas.parentElement.clientWidth, most), 120);
  const height = Math.max(Math.round(heightOf(width)), 1);
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
  return { width, height, ratio };
};

// 1234567 -> "1,234,567"; what is no whole number of cycles (a place between two) is rounded.
Senn.count = (number) => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ',');
