// Rectangles to pixels so that ink is area: a bar that takes 3 % of a pixel's time and rows colours 3 % of it.
// A canvas would blend one bar over the other; here shares are added, however many fall into one pixel.
//
// A rectangle is written as its second difference, four numbers along x times four along y, and all of them
// together are summed up once: the work is that of the bars plus that of the pixels, not their product.
Senn.ink = (() => {
  const PARTS = 4; // red, green, blue, each times the cover, and the cover

  const sheet = (width, height) => {
    const columns = width + 2;
    const line = columns * PARTS;
    const sums = new Float64Array(line * (height + 2));

    // The four places along x of one line, from which on the cover of [left, right) changes.
    const along = (start, left, right, weight, red, green, blue) => {
      const [first, last] = [Math.floor(left), Math.floor(right)];
      const [a, b] = [weight * (left - first), weight * (right - last)];
      change(start + first * PARTS, weight - a, red, green, blue);
      change(start + first * PARTS + PARTS, a, red, green, blue);
      change(start + last * PARTS, b - weight, red, green, blue);
      change(start + last * PARTS + PARTS, -b, red, green, blue);
    };

    const change = (at, by, red, green, blue) => {
      sums[at] += by * red;
      sums[at + 1] += by * green;
      sums[at + 2] += by * blue;
      sums[at + 3] += by;
    };

    // A rectangle in pixels, cut to the sheet, in a colour [red, green, blue] of an opacity.
    const add = (x0, x1, y0, y1, [red, green, blue], opacity = 1) => {
      const left = Math.max(x0, 0);
      const right = Math.min(x1, width);
      const top = Math.max(y0, 0);
      const bottom = Math.min(y1, height);
      if (!(right > left && bottom > top)) return;
      const first = Math.floor(top);
      const last = Math.floor(bottom);
      const a = opacity * (top - first);
      const b = opacity * (bottom - last);
      along(first * line, left, right, opacity - a, red, green, blue);
      if (a) along((first + 1) * line, left, right, a, red, green, blue);
      along(last * line, left, right, b - opacity, red, green, blue);
      if (b) along((last + 1) * line, left, right, -b, red, green, blue);
    };

    // The picture, and how much of it is covered, in pixels.
    const picture = () => {
      const image = new ImageData(width, height);
      const pixels = image.data;
      const above = new Float64Array(line); // what all lines up to this one have changed
      let covered = 0;
      for (let row = 0, to = 0; row < height; row += 1) {
        let [red, green, blue, cover] = [0, 0, 0, 0];
        for (let at = 0, from = row * line; at < width * PARTS; at += PARTS, from += PARTS, to += PARTS) {
          red += above[at] += sums[from];
          green += above[at + 1] += sums[from + 1];
          blue += above[at + 2] += sums[from + 2];
          cover += above[at + 3] += sums[from + 3];
          if (cover < 1e-6) continue;
          const share = 255 / cover;
          pixels[to] = share * red;
          pixels[to + 1] = share * green;
          pixels[to + 2] = share * blue;
          pixels[to + 3] = 255 * Math.min(cover, 1);
          covered += cover;
        }
      }
      return { image, covered };
    };

    return { add, picture };
  };

  return { sheet };
})();
