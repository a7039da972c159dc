// The critical path over time: every cycle of the makespan once, in the colour of what it was spent on.
Senn.strip = (() => {
  const HEIGHT = 36;

  const open = (canvas, record, facts, path) => {
    const context = canvas.getContext('2d');
    const labels = record.words('path.label');
    const { start, end, label } = record.table('path');

    const draw = () => {
      Senn.fit(canvas, () => HEIGHT);
      const scale = canvas.width / Math.max(facts.makespan, 1);
      const sheet = Senn.ink.sheet(canvas.width, canvas.height);
      for (let k = 0; k < start.length; k += 1) {
        const colour = Senn.theme.rgb(`spent-${labels[label[k]]}`);
        sheet.add(start[k] * scale, end[k] * scale, 0, canvas.height, colour);
      }
      const { image, covered } = sheet.picture();
      context.putImageData(image, 0, 0);
      return covered / canvas.width / canvas.height;
    };

    const pieceAt = (x) => path.at((x / canvas.clientWidth) * facts.makespan);
    Senn.hover(canvas, (x) => (start.length ? path.text(pieceAt(x)) : ''));
    canvas.addEventListener('click', (event) => {
      path.go(pieceAt(event.offsetX));
    });
    Senn.theme.on(() => draw());
    new ResizeObserver(() => draw()).observe(canvas.parentElement);
    draw();
    return { draw };
  };

  return { open };
})();
