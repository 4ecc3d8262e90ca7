// Draws a neighbourhood with vis-network, for the app's canvas and for the offline file alike.
// Every text from outside arrives as data and is shown with vis labels or textContent, never as markup.

const NEVER = 1e9; // pixels that a label would have to reach before vis-network drew it

function memaryCanvas(root) {
  const part = (tag, name, parent) => {
    const made = document.createElement(tag);
    made.className = name;
    parent.appendChild(made);
    return made;
  };
  const element = part("div", "memary-graph", root);
  const stage = part("div", "stage", element);
  const canvas = part("div", "canvas", stage);
  const waiting = part("div", "waiting", stage);
  const tools = part("div", "tools", stage);
  const hint = part("div", "hint", stage);
  const legend = part("div", "legend", element);
  canvas.setAttribute("role", "img");

  const nodes = new vis.DataSet();
  const edges = new vis.DataSet();
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const glide = calm ? false : { duration: 250, easingFunction: "easeInOutQuad" };
  let network = null;
  let data = null;
  let colours = null;
  let tell = () => {};
  let sizes = new Map();
  let clicked = 0;
  let worn = "";

  const button = (sign, name, act) => {
    const made = part("button", "tool", tools);
    made.type = "button";
    made.textContent = sign;
    made.title = name;
    made.setAttribute("aria-label", name);
    made.onclick = () => network && act();
  };
  const zoom = (by) => network.moveTo({ scale: Math.min(3, network.getScale() * by), animation: glide });
  button("+", "Zoom in", () => zoom(1.35));
  button("−", "Zoom out", () => zoom(1 / 1.35));
  button("⤢", "Fit the whole graph", () => fit(glide));

  // The page scrolls on under a plain wheel: only with Ctrl (or the command key) does the wheel zoom.
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  }, { capture: true });

  function theme() {
    const style = getComputedStyle(element);
    const read = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
    const text = read("--st-text-color", "#1d2625");
    const ground = read("--st-background-color", "#ffffff");
    const dark = luminance(ground) < 0.4;
    return {
      text, ground, dark,
      accent: read("--st-primary-color", "#2f6f6a"),
      font: read("--st-font", "sans-serif"),
      amber: dark ? "#e3ae4a" : "#8a5700",
      grey: dark ? "#9aa5a4" : "#5f6b6a",
      red: dark ? "#f08a80" : "#a8322a",
      fill: dark ? "#33423f" : "#dbe5e3",
      edge: dark ? "#8fa19e" : "#61716e",
    };
  }

  function luminance(colour) {
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
    return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
  }

  function dressedNode(node) {
    const self = node.group === "self";
    const hollow = node.group === "other" || node.group === "value";
    const background = self ? colours.accent : hollow ? colours.ground : colours.fill;
    const border = self ? colours.accent : colours.edge;
    const strong = { background: self ? colours.accent : colours.fill, border: colours.accent };
    return {
      id: node.id, label: node.label, shape: node.shape, size: node.size, title: node.title,
      color: { background, border, highlight: strong, hover: strong },
      font: {
        face: colours.font, size: 14, color: colours.text, strokeWidth: 4, strokeColor: colours.ground,
      },
      scaling: { label: { drawThreshold: NEVER } },
    };
  }

  function edgeLook(edge) {
    const looks = {
      accepted: { color: colours.edge, text: colours.text, dashes: false, width: 1.4 },
      candidate: { color: colours.amber, text: colours.amber, dashes: [2, 5], width: 2 },
      superseded: { color: colours.grey, text: colours.grey, dashes: [9, 6], width: 1.2 },
      rejected: { color: colours.grey, text: colours.grey, dashes: false, width: 1 },
    };
    return looks[edge.look] || looks.candidate;
  }

  function dressedEdge(edge) {
    const look = edgeLook(edge);
    const smooth = edge.bend
      ? { enabled: true, type: edge.bend > 0 ? "curvedCW" : "curvedCCW", roundness: Math.abs(edge.bend) }
      : { enabled: false };
    return {
      id: edge.id, from: edge.from, to: edge.to, label: edge.label, title: edge.title, arrows: edge.arrows, smooth,
      dashes: look.dashes, width: look.width,
      color: { color: look.color, highlight: colours.accent, hover: look.color },
      font: {
        face: colours.font, size: 11, color: look.text, strokeWidth: 4, strokeColor: colours.ground, align: "horizontal",
      },
      scaling: { label: { drawThreshold: NEVER } },
    };
  }

  function create() {
    const options = { ...data.options, height: "100%", width: "100%", physics: false };
    network = new vis.Network(canvas, { nodes, edges }, options);
    // The canvas is for the pointer; the buttons, the box and the table are for the keyboard.
    network.canvas.frame.tabIndex = -1;
    network.on("click", (event) => {
      clearTimeout(clicked);
      const what = event.nodes.length ? ["node", event.nodes[0]] : event.edges.length ? ["edge", event.edges[0]] : null;
      // A double click begins with two clicks: wait until it cannot become one.
      if (what) clicked = setTimeout(() => tell({ what: what[0], id: what[1], twice: false }), 260);
    });
    network.on("doubleClick", (event) => {
      clearTimeout(clicked);
      if (event.nodes.length) tell({ what: "node", id: event.nodes[0], twice: true });
    });
    network.on("hoverNode", () => (canvas.style.cursor = "pointer"));
    network.on("hoverEdge", () => (canvas.style.cursor = "pointer"));
    network.on("blurNode", () => (canvas.style.cursor = ""));
    network.on("blurEdge", () => (canvas.style.cursor = ""));
    network.on("beforeDrawing", ring);
    network.on("afterDrawing", write);
    element.network = network;
  }

  // The centre wears a ring; so its mark does not depend on colour or size.
  function ring(pen) {
    const centre = network.body.nodes[data.centre];
    if (!centre) return;
    const { x, y } = centre;
    const radius = (sizes.get(data.centre) || 10) + 9;
    pen.save();
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.stroke();
    pen.restore();
  }

  // Labels are drawn here and not by vis-network, which lets them overlap and fades them below 4.5 to 1: the centre,
  // what is selected and the most present first, each where there is room, never smaller than can be read.
  function write(pen) {
    const scale = network.getScale();
    const { nodes: pickedNodes, edges: pickedEdges } = network.getSelection();
    const first = (node) => (node.id === data.centre || pickedNodes.includes(node.id) ? 1 : 0);
    const taken = [];
    const put = (text, x, y, style) => {
      pen.font = `${style.bold ? "bold " : ""}${style.size}px ${colours.font}`;
      const half = pen.measureText(text).width / 2, tall = style.size * 0.6, gap = 3 / scale;
      const box = [x - half - gap, y - tall, x + half + gap, y + tall];
      if (!style.always && taken.some((b) => b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3])) return 0;
      taken.push(box);
      pen.lineWidth = 4 / scale;
      pen.strokeStyle = colours.ground;
      pen.strokeText(text, x, y);
      pen.fillStyle = style.colour;
      pen.fillText(text, x, y);
      return half;
    };
    pen.save();
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    const size = Math.max(14, 12 / scale);
    const far = 14 * scale < 10.5 && data.nodes.length > 60;
    const order = [...data.nodes].sort((a, b) => first(b) - first(a) || b.size - a.size);
    for (const node of far ? order.slice(0, 25) : order) {
      // vis-network also draws while nodes are being exchanged, when some are not there yet.
      const drawn = network.body.nodes[node.id];
      if (!drawn) continue;
      const { x, y } = drawn;
      const letters = far ? Array.from(node.label) : [];
      const text = letters.length > 24 ? `${letters.slice(0, 23).join("").trimEnd()}…` : node.label;
      const below = node.size + (node.id === data.centre ? 12 : 4) + size * 0.6;
      put(text, x, y + below, { size, colour: colours.text, bold: pickedNodes.includes(node.id), always: first(node) });
    }
    const small = Math.max(11, 10.5 / scale);
    const near = 11 * scale >= 8 || data.edges.length <= 80;
    const touches = (edge) => [edge.from, edge.to].some((end) => end === data.centre || pickedNodes.includes(end));
    const nearest = [...data.edges].sort((a, b) => Number(touches(b)) - Number(touches(a)));
    for (const edge of nearest) {
      const drawn = network.body.edges[edge.id];
      if (!drawn || !drawn.connected) continue;
      const picked = pickedEdges.includes(edge.id);
      const middle = drawn.edgeType.getPoint(0.5);
      const style = { size: small, colour: edgeLook(edge).text, bold: picked, always: picked };
      const half = near || picked ? put(edge.label, middle.x, middle.y, style) : 0;
      if (edge.look === "rejected") strike(pen, middle, half ? half + 2 : 7);
    }
    pen.restore();
  }

  // A rejected fact is struck through.
  function strike(pen, middle, half) {
    pen.strokeStyle = colours.red;
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(middle.x - half, middle.y);
    pen.lineTo(middle.x + half, middle.y);
    pen.stroke();
  }

  function fit(animation) {
    network.fit({ maxZoomLevel: 1.25, animation });
  }

  function arrange(first) {
    const count = data.nodes.length;
    // Nodes start well spread, so that many of them need fewer steps, and a step of many takes longer.
    const steps = Math.round(Math.max(60, Math.min(data.options.physics.stabilization.iterations, 12000 / count)));
    element.dataset.state = "arranging";
    waiting.hidden = count < 40;
    waiting.textContent = `Arranging ${count} entities`;
    network.once("stabilizationIterationsDone", () => {
      // From now on nothing moves unless a person moves it.
      network.setOptions({ physics: { enabled: false } });
      fit(first ? false : glide);
      waiting.hidden = true;
      element.dataset.state = "ready";
      select();
    });
    network.setOptions({ physics: { ...data.options.physics, enabled: true } });
    network.stabilize(steps);
  }

  function select() {
    const { selected } = data;
    if (selected && selected.what === "node" && nodes.get(selected.id)) {
      network.setSelection({ nodes: [selected.id], edges: [] }, { highlightEdges: false });
      const { x, y } = network.canvasToDOM(network.getPosition(selected.id));
      if (x < 0 || y < 0 || x > canvas.clientWidth || y > canvas.clientHeight) {
        network.focus(selected.id, { scale: network.getScale(), animation: glide });
      }
    } else if (selected && selected.what === "edge" && edges.get(selected.id)) {
      network.setSelection({ nodes: [], edges: [selected.id] }, { highlightEdges: false });
    } else {
      network.unselectAll();
    }
  }

  function explain() {
    legend.replaceChildren();
    const entry = (draw, word) => {
      const item = part("span", "entry", legend);
      const sign = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      sign.setAttribute("viewBox", "0 0 28 16");
      sign.setAttribute("aria-hidden", "true");
      draw((tag, attributes) => {
        const drawn = document.createElementNS("http://www.w3.org/2000/svg", tag);
        for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, value);
        sign.appendChild(drawn);
      });
      item.appendChild(sign);
      part("span", "word", item).textContent = word;
    };
    const outlines = {
      dot: "M14 2.5a5.5 5.5 0 1 0 .01 0z", triangle: "M14 2l6 11H8z", triangleDown: "M14 14L8 3h12z",
      square: "M9 3h10v10H9z", diamond: "M14 1.5L20.5 8 14 14.5 7.5 8z", hexagon: "M10.5 2h7L21 8l-3.5 6h-7L7 8z",
      star: "M14 1l2 5h5l-4 3.4 1.5 5.1L14 11.6 9.5 14.5 11 9.4 7 6h5z",
    };
    for (const kind of data.legend.kinds) {
      const { color } = dressedNode({ group: kind.group });
      const size = kind.group === "value" ? "translate(7 4) scale(.5)" : "";
      entry((draw) => draw("path", {
        d: outlines[kind.shape] || outlines.dot, fill: color.background, stroke: color.border, "stroke-width": 1.4,
        transform: size,
      }), kind.word);
    }
    if (data.centre) {
      entry((draw) => draw("circle", { cx: 14, cy: 8, r: 6.5, fill: "none", stroke: colours.accent, "stroke-width": 2 }),
        "centre");
    }
    for (const { look, word } of data.legend.looks) {
      const dressed = dressedEdge({ look });
      entry((draw) => {
        draw("path", {
          d: "M1 8h26", fill: "none", stroke: dressed.color.color, "stroke-width": dressed.width,
          "stroke-dasharray": (dressed.dashes || []).join(" "),
        });
        if (look === "rejected") draw("path", { d: "M8 12L20 4", stroke: colours.red, "stroke-width": 1.8 });
      }, word);
    }
  }

  const shape = (given) => JSON.stringify([
    given.nodes.map((node) => node.id), given.edges.map((edge) => [edge.id, edge.from, edge.to]),
  ]);

  function show(given, callback) {
    const before = data;
    data = given;
    tell = callback;
    colours = theme();
    sizes = new Map(data.nodes.map((node) => [node.id, node.size]));
    canvas.setAttribute("aria-label", data.described);
    hint.textContent = data.hint;
    explain();
    const was = worn;
    worn = JSON.stringify([data.nodes, data.edges, colours]);
    if (before && shape(before) === shape(data)) {
      // A mere selection draws nothing anew.
      if (was !== worn) {
        nodes.update(data.nodes.map(dressedNode));
        edges.update(data.edges.map(dressedEdge));
      }
      if (element.dataset.state === "ready") select();
      return;
    }
    const kept = network ? network.getPositions() : {};
    const shift = kept[data.centre] || { x: 0, y: 0 };
    const placed = data.nodes.map((node) => ({
      ...dressedNode(node), ...(kept[node.id] || { x: node.x + shift.x, y: node.y + shift.y }),
    }));
    nodes.clear();
    edges.clear();
    nodes.add(placed);
    edges.add(data.edges.map(dressedEdge));
    if (!network) create();
    arrange(!before);
  }

  return {
    element,
    show,
    end() {
      clearTimeout(clicked);
      if (network) network.destroy();
      element.remove();
    },
  };
}
