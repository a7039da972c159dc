// The frame of a widget: a page of a run inside a notebook, and what both tell each other.
export default {
  render({ model, el }) {
    const frame = document.createElement('iframe');
    frame.title = 'senn';
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.style.cssText = 'width:100%;border:0';
    const size = () => {
      frame.height = model.get('height');
    };
    const find = () => frame.contentWindow?.postMessage({ senn: { find: model.get('find') } }, '*');
    let open = false;
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || !data?.senn) return;
      if (!open && model.get('find')) find();
      open = true;
      model.set('chosen', data.senn.chosen);
      model.set('cycle', data.senn.cycle);
      model.save_changes();
    };
    size();
    window.addEventListener('message', hear);
    model.on('change:height', size);
    model.on('change:find', find);
    frame.srcdoc = model.get('_page');
    el.append(frame);
    return () => {
      window.removeEventListener('message', hear);
      model.off('change:height', size);
      model.off('change:find', find);
    };
  },
};
