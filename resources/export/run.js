"use strict";
// Shows a run. Whatever the run says becomes text, never markup: nothing here writes HTML.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { texts, spans, parents, order, starts, ends, lanes, details, turns } = data;
  const ROW = 24, LANE = 14, GAP = 2, AXIS = 20, LEFT = 16, SHORT = 6000;
  const count = spans.length;
  const childCount = new Int32Array(count);
  const depth = new Int32Array(count);
  for (const row of order) {
    if (parents[row] >= 0) { childCount[parents[row]]++; depth[row] = depth[parents[row]] + 1; }
  }
  const folded = new Uint8Array(count);
  let chosen = -1, visible = [], placeOf = new Int32Array(count);
  let query = "", hits = null, hitRows = [];
  let from = 0, to = Math.max(1, data.total), hovered = -1;

  function made(name, look, ...inside) {
    const one = document.createElement(name);
    if (look) one.className = look;
    for (const each of inside) if (each !== null && each !== undefined) one.append(each);
    return one;
  }
  const text = (number) => (number < 0 ? "" : texts[number]);

  // -- the page ---------------------------------------------------------------------------
  const app = document.getElementById("app");
  const search = made("input");
  Object.assign(search, { type: "search", placeholder: "Search names, messages, values", spellcheck: false });
  search.setAttribute("aria-label", "Search names, messages and values");
  const found = made("output");
  found.setAttribute("aria-live", "polite");
  const button = (words, act, tip) => {
    const one = made("button", "", words);
    one.type = "button";
    if (tip) one.title = tip;
    one.addEventListener("click", act);
    return one;
  };
  const before = button("Previous", () => nextHit(-1), "Shift+Enter");
  const after = button("Next", () => nextHit(1), "Enter");
  const bar = made("div", "bar", search, before, after, found, made("span", "space"),
    button("Fold all", () => foldAll(1)), button("Unfold all", () => foldAll(0)),
    button("Zoom to span", () => zoomTo(chosen), "z"), button("Whole run", () => zoomTo(-1), "0"));
  const canvas = made("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Timeline; the tree below says the same");
  const strip = made("figure", "time", canvas);
  const hover = made("p", "hover");
  const rows = made("div", "rows");
  const tree = made("div", "tree", rows);
  tree.tabIndex = 0;
  tree.setAttribute("role", "tree");
  tree.setAttribute("aria-label", "Spans");
  const detail = made("article", "detail");
  detail.tabIndex = 0;
  detail.setAttribute("aria-label", "The chosen span");
  app.append(bar, strip, hover, made("div", "both", tree, detail));
  app.hidden = false;

  // -- the tree ---------------------------------------------------------------------------
  function lay() {
    visible = [];
    placeOf.fill(-1);
    let hiddenBelow = Infinity;
    for (const row of order) {
      if (depth[row] > hiddenBelow) continue;
      hiddenBelow = folded[row] ? depth[row] : Infinity;
      placeOf[row] = visible.length;
      visible.push(row);
    }
    rows.style.height = visible.length * ROW + "px";
    drawTree();
  }

  function drawTree() {
    const first = Math.max(0, Math.floor(tree.scrollTop / ROW) - 5);
    const last = Math.min(visible.length, first + Math.ceil(tree.clientHeight / ROW) + 12);
    const drawn = [];
    for (let at = first; at < last; at++) drawn.push(line(visible[at], at));
    rows.replaceChildren(...drawn);
    if (chosen >= 0 && placeOf[chosen] >= first && placeOf[chosen] < last) {
      tree.setAttribute("aria-activedescendant", "r" + chosen);
    } else tree.removeAttribute("aria-activedescendant");
  }

  function line(row, at) {
    const [, label, colour, took, tokens, sign, state] = spans[row];
    const fold = made("span", "fold", childCount[row] ? (folded[row] ? "▸" : "▾") : "");
    const one = made("div", "row", fold, made("span", "dot " + colour),
      marked(made("span", "name"), text(label)),
      state ? made("span", "state", sign + " " + state) : null,
      made("span", "figures", made("span", "tokens", text(tokens)), made("span", "took", text(took))));
    one.id = "r" + row;
    one.style.top = at * ROW + "px";
    one.style.paddingLeft = 8 + Math.min(depth[row], 24) * 16 + "px";
    one.setAttribute("role", "treeitem");
    one.setAttribute("aria-level", depth[row] + 1);
    if (childCount[row]) one.setAttribute("aria-expanded", String(!folded[row]));
    one.setAttribute("aria-selected", String(row === chosen));
    if (row === chosen) one.classList.add("chosen");
    if (hits && !hits[row]) one.classList.add("quiet");
    one.addEventListener("click", () => choose(row));
    fold.addEventListener("click", (event) => { event.stopPropagation(); toggle(row); });
    return one;
  }

  function toggle(row, to) {
    if (!childCount[row]) return;
    folded[row] = to === undefined ? 1 - folded[row] : to;
    lay();
  }

  function foldAll(state) {
    for (let row = 0; row < count; row++) folded[row] = state && childCount[row] && parents[row] >= 0 ? 1 : 0;
    let top = chosen;
    while (state && top >= 0 && parents[top] >= 0 && parents[parents[top]] >= 0) top = parents[top];
    if (top >= 0 && top !== chosen) chosen = top;
    lay();
    show(chosen);
    tellChosen();
  }

  function reveal(row) {
    let changed = false;
    for (let up = parents[row]; up >= 0; up = parents[up]) if (folded[up]) { folded[up] = 0; changed = true; }
    if (changed) lay();
  }

  function show(row) {
    if (row < 0) return;
    const top = placeOf[row] * ROW;
    if (top < tree.scrollTop || top + ROW > tree.scrollTop + tree.clientHeight) {
      tree.scrollTop = Math.max(0, top - tree.clientHeight / 2);
    }
  }

  function choose(row) {
    if (row < 0 || row >= count) return;
    chosen = row;
    reveal(row);
    show(row);
    if (ends[row] < from || starts[row] > to) zoomTo(-1);
    tellChosen();
    try { history.replaceState(null, "", "#" + encodeURIComponent(text(spans[row][0]))); } catch { /* not everywhere */ }
  }

  function tellChosen() {
    drawTree();
    drawTime();
    drawDetail();
  }

  tree.addEventListener("scroll", drawTree, { passive: true });
  tree.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const at = chosen < 0 ? -1 : placeOf[chosen];
    const page = Math.max(1, Math.floor(tree.clientHeight / ROW) - 1);
    const go = {
      ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, PageDown: at + page, PageUp: at - page,
      Home: 0, End: visible.length - 1,
    }[event.key];
    if (go !== undefined) choose(visible[Math.max(0, Math.min(visible.length - 1, go))]);
    else if (event.key === "ArrowRight" && chosen >= 0) {
      if (folded[chosen]) toggle(chosen, 0); else if (childCount[chosen]) choose(visible[at + 1]);
    } else if (event.key === "ArrowLeft" && chosen >= 0) {
      if (childCount[chosen] && !folded[chosen]) toggle(chosen, 1); else choose(parents[chosen]);
    } else if (event.key === "Enter") detail.focus();
    else if (event.key === "z") zoomTo(chosen);
    else if (event.key === "0") zoomTo(-1);
    else return;
    event.preventDefault();
  });

  // -- the timeline -----------------------------------------------------------------------
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let ink = {};
  function readInk() {
    const style = getComputedStyle(document.documentElement);
    ink = {};
    for (const name of ["text", "secondary", "border", "accent", "failed", "mark", "pipeline", "component",
      "retrieval", "llm", "tool", "agent", "step", "hook", "other", "panel"]) ink[name] = style.getPropertyValue("--" + name).trim();
  }
  dark.addEventListener("change", () => { readInk(); drawTime(); });

  const scale = (wide) => (wide - 2 * LEFT) / (to - from);
  function drawTime() {
    const wide = strip.clientWidth, high = AXIS + data.laneCount * (LANE + GAP) + 4;
    const dots = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(wide * dots) || canvas.height !== Math.round(high * dots)) {
      canvas.width = Math.round(wide * dots);
      canvas.height = Math.round(high * dots);
      canvas.style.height = high + "px";
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(dots, 0, 0, dots, 0, 0);
    pen.clearRect(0, 0, wide, high);
    const per = scale(wide);
    axis(pen, wide, high, per);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const lastX = new Float64Array(data.laneCount).fill(-1);
    for (let row = 0; row < count; row++) {
      if (ends[row] < from || starts[row] > to) continue;
      const x = LEFT + (Math.max(from, starts[row]) - from) * per;
      const w = Math.max(1.5, (Math.min(to, ends[row]) - Math.max(from, starts[row])) * per);
      const important = row === chosen || spans[row][6] === "failed";
      // Of many that would fall upon one pixel, one is drawn.
      if (!important && x + w <= lastX[lanes[row]] + 0.5) continue;
      lastX[lanes[row]] = x + w;
      const y = AXIS + lanes[row] * (LANE + GAP);
      pen.globalAlpha = hits && !hits[row] ? 0.25 : 1;
      pen.fillStyle = ink[spans[row][2]] || ink.other;
      pen.fillRect(x, y, w, LANE);
      if (spans[row][6] === "failed") { pen.fillStyle = ink.failed; pen.fillRect(x, y, w, LANE); }
      if (w > 34 && pen.globalAlpha === 1) label(pen, (spans[row][5] ? spans[row][5] + " " : "") + text(spans[row][1]), x, y, w, spans[row][2] === "step");
      pen.globalAlpha = 1;
      if (row === hovered || row === chosen) {
        pen.strokeStyle = row === chosen ? ink.text : ink.secondary;
        pen.lineWidth = 2;
        pen.strokeRect(x + 1, y + 1, Math.max(1, w - 2), LANE - 2);
      }
    }
  }

  function label(pen, words, x, y, w, pale) {
    pen.save();
    pen.beginPath();
    pen.rect(x, y, w - 4, LANE);
    pen.clip();
    pen.fillStyle = dark.matches || pale ? "#101317" : "#FFFFFF";
    pen.fillText(words.slice(0, 80), x + 4, y + LANE / 2 + 0.5);
    pen.restore();
  }

  function axis(pen, wide, high, per) {
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const rough = 90 / per;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
    const [unit, word] = to >= 1e9 && step >= 1e7 ? [1e9, " s"] : step >= 1e6 ? [1e6, " ms"] : step >= 1e3 ? [1e3, " µs"] : [1, " ns"];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = Math.round(LEFT + (at - from) * per) + 0.5;
      pen.strokeStyle = ink.border;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(x, AXIS - 4);
      pen.lineTo(x, high);
      pen.stroke();
      pen.fillStyle = ink.secondary;
      const words = +(at / unit).toPrecision(6) + word;
      pen.fillText(words, Math.min(x + 3, wide - pen.measureText(words).width - 2), 9);
    }
  }

  function rowAt(event) {
    const box = canvas.getBoundingClientRect();
    const lane = Math.floor((event.clientY - box.top - AXIS) / (LANE + GAP));
    const per = scale(strip.clientWidth);
    const at = from + (event.clientX - box.left - LEFT) / per;
    const slack = 3 / per;
    let best = -1, near = Infinity;
    for (let row = 0; row < count; row++) {
      if (lanes[row] !== lane || starts[row] > at + slack || ends[row] < at - slack) continue;
      const off = Math.max(0, starts[row] - at, at - ends[row]);
      if (off < near) { near = off; best = row; }
    }
    return best;
  }

  function facts(row) {
    const [, label, , took, tokens, sign, state, kind, path] = spans[row];
    return [text(label), text(kind), text(took), text(tokens), state ? sign + " " + state : "", text(path)]
      .filter(Boolean).join(" · ");
  }

  canvas.addEventListener("mousemove", (event) => {
    const row = rowAt(event);
    if (row === hovered) return;
    hovered = row;
    hover.textContent = row < 0 ? resting() : facts(row);
    drawTime();
  });
  canvas.addEventListener("mouseleave", () => { hovered = -1; hover.textContent = resting(); drawTime(); });
  canvas.addEventListener("click", (event) => { const row = rowAt(event); if (row >= 0) choose(row); });
  canvas.addEventListener("dblclick", (event) => { const row = rowAt(event); zoomTo(row); });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    const per = scale(strip.clientWidth);
    const box = canvas.getBoundingClientRect();
    if (event.shiftKey) return pan((event.deltaY || event.deltaX) / per);
    const at = from + (event.clientX - box.left - LEFT) / per;
    const by = Math.pow(1.0015, event.deltaY);
    span(at - (at - from) * by, at + (to - at) * by);
  }, { passive: false });
  const resting = () => "Ctrl and wheel zoom, Shift and wheel move, double click fills the timeline with a span.";

  function pan(by) {
    by = Math.max(-from, Math.min(by, Math.max(1, data.total) - to));
    span(from + by, to + by);
  }
  function span(low, high) {
    const whole = Math.max(1, data.total);
    const least = Math.min(whole, 1000);
    if (high - low < least) { const middle = (low + high) / 2; low = middle - least / 2; high = middle + least / 2; }
    from = Math.max(0, low);
    to = Math.min(whole, high);
    drawTime();
  }
  function zoomTo(row) {
    if (row < 0) return span(0, Math.max(1, data.total));
    const margin = Math.max(1, (ends[row] - starts[row]) * 0.05);
    span(starts[row] - margin, ends[row] + margin);
  }

  // -- the chosen span --------------------------------------------------------------------
  // Text with what is searched for marked.
  function marked(into, words) {
    if (!query || words.length > 400000) { into.append(words); return into; }
    const lower = words.toLowerCase();
    if (lower.length !== words.length) { into.append(words); return into; }
    let at = 0, many = 0;
    for (;;) {
      const next = many++ < 500 ? lower.indexOf(query, at) : -1;
      if (next < 0) break;
      into.append(words.slice(at, next), made("mark", "", words.slice(next, next + query.length)));
      at = next + query.length;
    }
    into.append(words.slice(at));
    return into;
  }

  function block(words) {
    const pre = made("pre", "value");
    if (words.length <= SHORT) return marked(pre, words);
    marked(pre, words.slice(0, SHORT));
    const holder = made("div", "", pre);
    const more = made("button", "more", "Show all " + words.length.toLocaleString("en") + " characters");
    more.type = "button";
    more.addEventListener("click", () => { pre.replaceChildren(); marked(pre, words); more.remove(); });
    holder.append(more);
    return holder;
  }

  function part([kind, name, words]) {
    const how = { call: ["calls ", text(name)], result: ["result of ", text(name)],
      failed: ["✕ failed: ", text(name)], fact: [text(name), ""], reasoning: ["reasoning", ""], text: ["", ""] }[kind];
    const head = how[0] || how[1] ? made("div", "how", how[0], how[1] ? made("b", "", how[1]) : null) : null;
    return made("div", "part " + kind, head, text(words) ? block(text(words)) : null);
  }

  function turn(coded) {
    const [role, who, ...parts] = turns[coded >> 2];
    return made("div", "turn " + role + (coded & 3 ? " fresh" : ""),
      made("div", "role", made("b", "", text(who)), coded & 1 ? " · reply" : coded & 2 ? " · new in this call" : ""), ...parts.map(part));
  }

  const title = (words) => made("h3", "", words);
  const makers = {
    error: ([, said, trace]) => [title("Error"), made("div", "error", block(text(said))),
      text(trace) ? block(text(trace)) : null],
    messages: ([, all, left]) => [title("Messages"), left >= 0 ? made("p", "note", text(left)) : null, ...folds(all.map((each) => () => turn(each)))],
    documents: ([, name, all, left]) => [title("Documents: " + text(name)),
      ...all.map(([rank, score, id, source, content]) => made("div", "doc", made("span", "rank", String(rank)),
        made("div", "", made("div", "head", made("b", "", text(id)), score ? " · " + score : "",
          text(source) ? " · " + text(source) : ""), block(text(content))))),
      left >= 0 ? made("p", "note", text(left)) : null],
    values: ([, name, all]) => [title(text(name)),
      ...all.map(([label, value]) => made("div", "entry", made("div", "label", text(label)), block(text(value))))],
    facts: ([, all]) => {
      const list = made("dl", "facts-list");
      let group = "";
      for (const [of, label, words] of all) {
        if (text(of) !== group) { group = text(of); list.append(made("div", "group", group)); }
        list.append(made("dt", "", text(label)), marked(made("dd"), text(words)));
      }
      return [title("Facts"), list];
    },
  };

  // Of a very long conversation, the end comes first on the screen.
  function folds(makersOfTurns) {
    const most = 40;
    if (makersOfTurns.length <= most) return makersOfTurns.map((make) => make());
    const early = makersOfTurns.slice(0, -most), late = makersOfTurns.slice(-most);
    const more = made("button", "more", "Show " + early.length + " earlier messages");
    more.type = "button";
    more.addEventListener("click", () => more.replaceWith(...early.map((make) => make())));
    return [more, ...late.map((make) => make())];
  }

  function drawDetail() {
    if (chosen < 0) return detail.replaceChildren(made("p", "note", "Choose a span."));
    const [, label, , took, tokens, sign, state, kind, path] = spans[chosen];
    const said = [text(kind), state ? sign + " " + state : "", text(took), text(tokens)].filter(Boolean).join(" · ");
    const inside = [made("h2", "", text(label)), made("p", "where", said), made("p", "where", text(path))];
    for (const each of details[chosen] || []) inside.push(...makers[each[0]](each).filter(Boolean));
    detail.replaceChildren(...inside);
    detail.scrollTop = 0;
  }

  // -- searching --------------------------------------------------------------------------
  function numbersIn(row) {
    const all = [spans[row][1], spans[row][8]];
    for (const [kind, ...rest] of details[row] || []) {
      if (kind === "error") all.push(rest[0], rest[1]);
      else if (kind === "messages") for (const each of rest[0]) for (const [, name, words] of turns[each >> 2].slice(2)) all.push(name, words);
      else if (kind === "documents") for (const each of rest[1]) all.push(each[2], each[3], each[4]);
      else if (kind === "values") for (const each of rest[1]) all.push(each[0], each[1]);
      else for (const each of rest[0]) all.push(each[2]);
    }
    return all;
  }

  function look() {
    query = search.value.trim().toLowerCase();
    if (!query) { hits = null; hitRows = []; } else {
      const holds = new Int8Array(texts.length);
      const has = (number) => {
        if (number < 0) return false;
        if (!holds[number]) holds[number] = texts[number].toLowerCase().includes(query) ? 1 : -1;
        return holds[number] > 0;
      };
      hits = new Uint8Array(count);
      hitRows = order.filter((row) => numbersIn(row).some(has));
      for (const row of hitRows) hits[row] = 1;
    }
    tellHits();
    drawTree();
    drawTime();
    drawDetail();
  }

  function tellHits() {
    before.disabled = after.disabled = !hitRows.length;
    const at = hitRows.indexOf(chosen);
    found.textContent = !hits ? "" : !hitRows.length ? "nothing found"
      : (at < 0 ? "" : at + 1 + " of ") + hitRows.length + (hitRows.length === 1 ? " span" : " spans");
  }

  function nextHit(by) {
    if (!hitRows.length) return;
    const place = new Int32Array(count);
    order.forEach((row, at) => { place[row] = at; });
    const now = chosen < 0 ? -1 : place[chosen];
    const next = by > 0 ? hitRows.find((row) => place[row] > now) : hitRows.filter((row) => place[row] < now).pop();
    choose(next === undefined ? hitRows[by > 0 ? 0 : hitRows.length - 1] : next);
    tellHits();
  }

  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 120); });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { clearTimeout(waiting); look(); nextHit(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { search.value = ""; look(); tree.focus(); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
  });

  // -- beginning --------------------------------------------------------------------------
  readInk();
  if (count > 400) foldDeep();
  function foldDeep() {
    for (let row = 0; row < count; row++) if (childCount[row] && depth[row] >= 4) folded[row] = 1;
  }
  lay();
  tellHits();
  hover.textContent = resting();
  function named() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { /* no name of ours */ }
    return name ? spans.findIndex((each) => text(each[0]) === name) : -1;
  }
  const begin = named() >= 0 ? named() : spans.findIndex((each, row) => each[6] === "failed" && !childCount[row]);
  choose(begin >= 0 ? begin : order[0] ?? -1);
  if (!count) drawDetail();
  addEventListener("hashchange", () => { const row = named(); if (row >= 0 && row !== chosen) choose(row); });
  addEventListener("resize", () => { drawTree(); drawTime(); });
})();
