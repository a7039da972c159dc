// The values under the pointer, in a box beside it; `textAt` says what a picture has at a point, if anything.
Senn.hover = (canvas, textAt) => {
  const box = Senn.make('div', { class: 'tip', hidden: true });
  canvas.parentElement.append(box);

  const show = ({ offsetX: x, offsetY: y, buttons, pointerType }) => {
    box.textContent = buttons || pointerType === 'touch' ? '' : textAt(x, y);
    box.hidden = !box.textContent;
    const { clientWidth: width, clientHeight: height } = canvas;
    const onLeft = x > width / 2;
    box.style.left = onLeft ? 'auto' : `${x + 14}px`;
    box.style.right = onLeft ? `${canvas.parentElement.clientWidth - x + 14}px` : 'auto';
    box.style.top = `${Math.max(Math.min(y + 14, height - box.offsetHeight), 0)}px`;
  };
  canvas.addEventListener('pointermove', show);
  canvas.addEventListener('pointerdown', show);
  canvas.addEventListener('pointerleave', () => {
    box.hidden = true;
  });
};
