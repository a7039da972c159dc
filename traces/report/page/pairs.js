// Who sent how many words to whom: a square for every pair of arrays, rows send and columns receive.
Senn.pairs = (() => {
  const GAP = 8;

  const open = (canvas, record, facts) => {
    const context = canvas.getContext('2d');
    const { source_array, source_node, target_array, target_node, words } = record.table('pairs');
    const most = words.reduce((a, b) => Math.max(a, b), 1);

    const each = () => (canvas.width + GAP) / facts.arrays.length - GAP; // of a pair of arrays, in pixels
    const draw = () => {
      const { ratio } = Senn.fit(canvas, (width) => width, 560);
      const cell = each() / facts.nodes;
      const sheet = Senn.ink.sheet(canvas.width, canvas.width);
      const corner = (array) => facts.arrays.indexOf(array) * (each() + GAP);
      const colour = Senn.theme.mixed('part-0', 'ink', 0.2);
      for (let k = 0; k < words.length; k += 1) {
        const x = corner(target_array[k]) + target_node[k] * cell;
        const y = corner(source_array[k]) + source_node[k] * cell;
        sheet.add(x, x + cell, y, y + cell, colour, 0.12 + (0.88 * words[k]) / most);
      }
      context.putImageData(sheet.picture().image, 0, 0);
      context.strokeStyle = Senn.theme.css('quiet');
      context.fillStyle = Senn.theme.css('quiet');
      context.font = `${11 * ratio}px system-ui, sans-serif`;
      for (const row of facts.arrays) {
        for (const column of facts.arrays) {
          context.strokeRect(corner(column) + 0.5, corner(row) + 0.5, each() - 1, each() - 1);
          const text = `${row} to ${column}`;
          const x = corner(column) + each() - context.measureText(text).width - 4 * ratio;
          context.fillText(text, x, corner(row) + 14 * ratio);
        }
      }
    };

    Senn.hover(canvas, (x, y) => {
      const place = (at) => {
        const pixel = (at * canvas.width) / canvas.clientWidth;
        const [k, inside] = [Math.floor(pixel / (each() + GAP)), pixel % (each() + GAP)];
        return [facts.arrays[k], Math.floor((inside / each()) * facts.nodes)];
      };
      const ends = [...place(y), ...place(x)];
      const columns = [source_array, source_node, target_array, target_node];
      const k = words.findIndex((_, row) => columns.every((column, i) => column[row] === ends[i]));
      return k < 0 ? '' : `${ends[0]}:${ends[1]} to ${ends[2]}:${ends[3]}: ${Senn.count(words[k])} words`;
    });
    Senn.theme.on(draw);
    new ResizeObserver(draw).observe(canvas.parentElement);
    draw();
  };

  return { open };
})();
