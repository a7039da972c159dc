// Who sent how many words to whom: a square for every pair of arrays, rows send and columns receive.
Senn.pairs = (() => {
  const GAP = 8;

  const open = (canvas, record, facts) => {
    const context = canvas.getContext('2d');
    const names = ['source_array', 'source_node', 'target_array', 'target_node', 'words'];
    const [fromArray, from, toArray, to, words] = names.map((name) => record.column(`pairs.${name}`));
    const most = words.reduce((a, b) => Math.max(a, b), 1);

    const draw = () => {
      const { ratio } = Senn.fit(canvas, (width) => width, 560);
      const size = canvas.width;
      const each = (size - GAP * (facts.arrays.length - 1)) / facts.arrays.length;
      const cell = each / facts.nodes;
      const sheet = Senn.ink.sheet(size, size);
      const corner = (array) => facts.arrays.indexOf(array) * (each + GAP);
      const colour = Senn.theme.mixed('phase-I', 'ink', 0.2);
      for (let k = 0; k < words.length; k += 1) {
        const [x, y] = [corner(toArray[k]) + to[k] * cell, corner(fromArray[k]) + from[k] * cell];
        sheet.add(x, x + cell, y, y + cell, colour, 0.12 + (0.88 * words[k]) / most);
      }
      context.putImageData(sheet.picture().image, 0, 0);
      context.strokeStyle = Senn.theme.css('quiet');
      context.fillStyle = Senn.theme.css('quiet');
      context.font = `${11 * ratio}px system-ui, sans-serif`;
      for (const row of facts.arrays) {
        for (const column of facts.arrays) {
          context.strokeRect(corner(column) + 0.5, corner(row) + 0.5, each - 1, each - 1);
          const text = `${row} to ${column}`;
          const x = corner(column) + each - context.measureText(text).width - 4 * ratio;
          context.fillText(text, x, corner(row) + 14 * ratio);
        }
      }
    };

    Senn.theme.on(draw);
    new ResizeObserver(draw).observe(canvas.parentElement);
    draw();
  };

  return { open };
})();
