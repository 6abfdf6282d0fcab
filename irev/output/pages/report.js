"use strict";
// What a page can do beside being read: sort, filter and page queries, show one of them, copy and save tables.
// Numbers are texts that were made before; text reaches the page as text alone. Nothing is fetched.
(() => {
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const filled = (made, attributes, content) => {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === true) made.setAttribute(key, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
    }
    for (const part of content.flat(3)) {
      if (part !== null && part !== undefined && part !== false) made.append(part);
    }
    return made;
  };
  const el = (name, attributes, ...content) => filled(document.createElement(name), attributes, content);
  const svg = (name, attributes, ...content) =>
    filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, content);
  const bdi = (text) => el("bdi", null, text);
  const button = (said, act, attributes) => {
    const made = el("button", { type: "button", ...attributes }, said);
    made.addEventListener("click", act);
    return made;
  };
  const empty = (element, ...content) => (element.replaceChildren(...content.flat(3).filter(Boolean)), element);
  const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  const NONE = "–";
  const has = (text, sought) => sought.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
  const collator = new Intl.Collator("en", { numeric: true });

  // Tables: copied with tabs, saved with commas.

  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const textOf = (cell) => (cell.dataset.text === undefined ? cell.textContent : cell.dataset.text);
  const rowsOf = (table) => all("tr", table).map((row) => [...row.cells].map(textOf));

  const save = (name, rows) => {
    const text = rows.map((row) => row.map(quoted).join(",") + "\r\n").join("");
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    el("a", { href: url, download: `${name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };

  const copy = async (rows, pressed) => {
    const text = rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = el("textarea", { class: "away", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      pressed.focus();
    }
    pressed.textContent = done ? "Copied" : "Not copied";
    setTimeout(() => (pressed.textContent = "Copy"), 2000);
  };

  const withTools = (sheet, name, rows) => {
    const said = (find("h3, h4, summary", sheet) || find("h2", sheet.closest("section") || document) || sheet).textContent;
    const copying = button("Copy", () => copy(rows(), copying), { "aria-label": `Copy the table ${said}` });
    const saving = button("CSV", () => save(name, rows()), { "aria-label": `Save the table ${said} as CSV` });
    find(".frame", sheet).after(el("div", { class: "tools" }, copying, saving));
  };

  const known = new Map();
  const nameFor = (sheet) => {
    const section = sheet.closest("section");
    const base = section ? section.id : "table";
    known.set(base, (known.get(base) || 0) + 1);
    return known.get(base) === 1 ? base : `${base}-${known.get(base)}`;
  };

  for (const sheet of all(".sheet:not(.folded)")) {
    if (!find("#queries-table", sheet)) withTools(sheet, nameFor(sheet), () => rowsOf(find("table", sheet)));
  }

  // Tables that are lines of text until they are opened; a tab ends each cell.
  let linked = () => {};
  const unfold = (sheet) => {
    const lines = find("pre", sheet);
    if (!lines) return;
    const texts = new Set(sheet.dataset.texts.split(" "));
    const [head, ...rows] = lines.textContent.split("\n").map((line) => line.split("\t").map((cell) => cell.trim()));
    const cells = (row, titles, scope) => el("tr", null, row.map((text, place) =>
      el(place < titles ? "th" : "td", { class: texts.has(`${place}`) ? null : "n", scope: place < titles ? scope : null }, text)));
    const made = el("table", null, el("thead", null, cells(head, head.length, "col")),
      el("tbody", null, rows.map((row) => cells(row, Number(sheet.dataset.labels), "row"))));
    lines.replaceWith(made);
    linked(made);
    withTools(sheet, nameFor(sheet), () => rowsOf(made));
  };
  for (const sheet of all(".folded")) sheet.addEventListener("toggle", () => unfold(sheet));

  const source = document.getElementById("data");
  const data = source ? JSON.parse(source.textContent) : null;
  if (!data || !data.queries) return;

  // Data

  const { runs, queries, titles, measures, depth, lead } = data;
  const placeOf = new Map(queries.map((name, place) => [name, place]));
  const runAt = new Map(runs.map((name, place) => [name, place]));
  const measureAt = new Map(measures.map((measure, place) => [measure.name, place]));

  const unpacked = async (text) => {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  let values = [];
  const pieces = new Map();
  const topicAt = async (place) => {
    const number = Math.floor(place / data.together);
    if (!pieces.has(number)) {
      const piece = data.pieces[number];
      pieces.set(number, typeof piece === "string" ? await unpacked(piece) : piece);
      if (pieces.size > 40) pieces.delete(pieces.keys().next().value);
    }
    const piece = pieces.get(number);
    const at = place % data.together;
    const terms = piece.t.map((of) => of && {
      v: of.v[at].map((run) => run.split(",")), s: of.s[at], o: of.o[at], b: of.b && of.b[at], x: of.x, i: of.i && of.i[at],
    });
    return { d: piece.d[at], g: piece.g[at], c: piece.c[at], r: piece.r[at], n: piece.n[at], t: terms, x: piece.x && piece.k[at].map((text) => piece.x[text]) };
  };
  const columnsOf = (measure) => {
    if (typeof values[measure][0] === "string") values[measure] = values[measure].map((each) => each.split(" "));
    return values[measure];
  };
  const valueOf = (measure, run, topic) => columnsOf(measure)[lead + run][topic];
  const numberOf = (text) => (text === NONE || text === "nan" ? NaN : text === "inf" ? Infinity : Number(text));
  const barOf = (text, measure) => {
    const share = numberOf(text) / measures[measure].scale;
    return Number.isFinite(share) ? `b b${Math.floor(100 * Math.min(Math.max(share, 0), 1) + 0.5)}` : "";
  };

  // What is looked at; the address has it, so that it can be sent to others.

  const state = { topic: null, runs: runs.length > 1 ? [0, 1] : [0], measure: 0, missing: null };
  let sorted = { column: null, down: false };
  let sought = "";
  let page = 0;
  let printing = false;
  let order = data.order;

  const hashOf = (topic, chosen = state.runs, measure = state.measure) => {
    const parts = [];
    if (topic !== null) parts.push(`q=${encodeURIComponent(queries[topic])}`);
    parts.push(`runs=${chosen.map((run) => encodeURIComponent(runs[run])).join(",")}`);
    parts.push(`m=${encodeURIComponent(measures[measure].name)}`);
    return `#${parts.join("&")}`;
  };
  const read = () => {
    const given = new Map();
    for (const part of location.hash.slice(1).split("&")) {
      const [key, value] = part.split(/=(.*)/s);
      if (value !== undefined) given.set(key, value);
    }
    const plain = (text) => {
      try {
        return decodeURIComponent(text);
      } catch {
        return text;
      }
    };
    if (given.has("m") && measureAt.has(plain(given.get("m")))) state.measure = measureAt.get(plain(given.get("m")));
    if (given.has("runs")) {
      const named = given.get("runs").split(",").map(plain).filter((name) => runAt.has(name));
      if (named.length) state.runs = [...new Set(named.map((name) => runAt.get(name)))];
    }
    state.missing = null;
    if (given.has("q")) {
      const name = plain(given.get("q"));
      if (placeOf.has(name)) state.topic = placeOf.get(name);
      else state.missing = name;
    }
    return given.has("q");
  };
  const go = (change) => {
    const next = { ...state, ...change };
    location.hash = hashOf(next.topic, next.runs, next.measure);
  };

  // The runs: sorted by any column, and filtered.

  const board = find("#board");
  const furnishBoard = () => {
    const rows = all("tbody tr", board);
    const heads = all("thead th", board);
    const at = heads.findIndex((each) => each.textContent === "run");
    const keys = rows.map((row) => [...row.cells].map((cell) => cell.textContent.replace(/[*,]/g, "").trim()));
    let last = null;
    heads.forEach((heading, place) => {
      const numeric = keys.every((of) => /^[-+\d.%–]*$|^-?(inf|nan)$/.test(of[place]));
      const key = (row) => (numeric ? numberOf(keys[row][place].replace("%", "")) : 0);
      const made = button(heading.textContent, () => {
        const down = last === place ? heading.getAttribute("aria-sort") === "ascending" : numeric && place > 0;
        last = place;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const odd = (row) => Number(Number.isNaN(key(row)));
        const order = rows.map((_, row) => row).sort((a, b) => odd(a) - odd(b) || (down ? -1 : 1) *
          (numeric ? key(a) - key(b) : collator.compare(keys[a][place], keys[b][place])) || a - b);
        find("tbody", board).append(...order.map((row) => rows[row]));
      }, { class: "sort" });
      empty(heading, made);
    });
    const search = el("input", { type: "search", id: "runs-filter", autocomplete: "off", spellcheck: "false" });
    const said = el("span", { class: "status", role: "status" });
    search.addEventListener("input", () => {
      rows.forEach((row, i) => (row.hidden = !has(keys[i].slice(0, -1).join(" "), search.value)));
      const left = rows.filter((row) => !row.hidden).length;
      said.textContent = left < rows.length ? `${left} of ${rows.length} runs` : "";
    });
    board.closest(".sheet").prepend(el("div", { class: "bar" }, el("label", null, "Filter runs ", search), said));
  };

  // Queries

  const one = find("#one");
  const table = find("#queries-table");
  const body = find("tbody", table);
  const texts = titles ? 2 : 1;
  const status = el("span", { class: "status", role: "status" });
  const earlier = button("‹ Earlier", () => ((page -= 1), showTopics()));
  const later = button("Later ›", () => ((page += 1), showTopics()));
  const search = el("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false" });
  const chooseMeasure = () => {
    const made = el("select", null, measures.map((each, place) => el("option", { value: place }, each.name)));
    made.addEventListener("change", () => go({ measure: Number(made.value) }));
    return made;
  };
  const ofTopics = chooseMeasure();

  const cellsOf = (topic) => [
    queries[topic],
    ...(titles ? [titles[topic]] : []),
    ...columnsOf(state.measure).map((column) => column[topic]),
  ];
  const arrange = () => {
    const places = data.order.filter((topic) => has(titles ? `${queries[topic]} ${titles[topic]}` : queries[topic], sought));
    if (sorted.column !== null) {
      const sign = sorted.down ? -1 : 1;
      if (sorted.column < texts) {
        const keys = sorted.column ? titles : queries;
        places.sort((a, b) => sign * collator.compare(keys[a], keys[b]) || a - b);
      } else {
        const keys = columnsOf(state.measure)[sorted.column - texts].map(numberOf);
        const odd = (number) => (Number.isNaN(number) ? 1 : 0);
        places.sort((a, b) => odd(keys[a]) - odd(keys[b]) || sign * (keys[a] - keys[b]) || a - b);
      }
    }
    order = places;
  };
  const isRun = (place) => place >= texts + lead && place < texts + lead + runs.length;
  const linkTo = (topic) => {
    return one ? el("a", { href: hashOf(topic) }, bdi(queries[topic])) : bdi(queries[topic]);
  };
  const rowOf = (topic) => {
    const cells = cellsOf(topic).map((text, place) => {
      if (place === 0) return el("th", { scope: "row" }, linkTo(topic));
      if (place < texts) return el("td", { class: "words" }, text);
      return el("td", { class: isRun(place) ? `n ${barOf(text, state.measure)}` : "n" }, text);
    });
    return el("tr", { class: topic === state.topic ? "chosen" : null }, cells);
  };
  function showTopics() {
    const last = Math.max(0, Math.ceil(order.length / data.rows) - 1);
    page = Math.min(Math.max(page, 0), last);
    const from = page * data.rows, to = Math.min(order.length, from + data.rows);
    empty(body, (printing ? order : order.slice(from, to)).map((topic) => rowOf(topic)));
    status.textContent = order.length
      ? `${count(from + 1)} to ${count(to)} of ${count(order.length)} queries`
      : "No query has these words.";
    earlier.disabled = page === 0;
    later.disabled = page >= last;
    all("thead th", table).forEach((heading, place) => {
      const by = place === sorted.column ? (sorted.down ? "descending" : "ascending") : null;
      if (by) heading.setAttribute("aria-sort", by);
      else heading.removeAttribute("aria-sort");
    });
    const { name, better } = measures[state.measure];
    const note = find("#queries-note");
    const which = order.length < queries.length ? `${count(order.length)} of ${count(queries.length)} queries` : "each query";
    empty(note, `${name}${better === "lower" ? " (lower is better)" : ""} of ${which}${
        sorted.column === null ? data.sorted : ""}.`,
      el("span", { class: "keys" }, ` Keys: ${one ? "j next query, k previous query, " : ""}/ filter.`));
    ofTopics.value = state.measure;
  }
  const sortBy = (place) => {
    const worst = place >= texts && (measures[state.measure].better === "lower" || place === texts + runs.length + 3);
    sorted = sorted.column === place ? { column: place, down: !sorted.down } : { column: place, down: worst };
    page = 0;
    arrange();
    showTopics();
  };
  const print = (on) => {
    printing = on;
    showTopics();
  };
  const furnish = () => {
    all("thead th", table).forEach((heading, place) => {
      empty(heading, button(heading.textContent, () => sortBy(place), { class: "sort" }));
    });
    search.addEventListener("input", () => {
      sought = search.value;
      page = 0;
      arrange();
      showTopics();
    });
    const sheet = table.closest(".sheet");
    const bar = el(
      "div",
      { class: "bar" },
      el("label", null, "Filter ", search),
      el("label", null, "Measure ", ofTopics),
      el("span", { class: "pager" }, earlier, later, status),
    );
    sheet.prepend(bar);
    const heads = all("thead th", table).map((heading) => heading.textContent);
    withTools(sheet, "queries", () => [heads, ...order.map(cellsOf)]);
  };

  // Queries that other tables name lead to what is shown of them.
  linked = (other) => {
    if (!one || !other.closest("#verdict, #documents, .chart")) return;
    const heads = all("thead th", other).map((heading) => heading.textContent);
    const at = heads.findIndex((text) => text === "query");
    for (const row of at < 0 ? [] : all("tbody tr", other)) {
      const topic = placeOf.get(row.cells[at].textContent);
      if (topic === undefined) continue;
      empty(row.cells[at], linkTo(topic));
    }
  };
  all("table").forEach(linked);

  // One query

  const rankText = (rank) => (rank ? String(rank) : NONE);
  const events = (was, is) => {
    if (is > depth || !is) return was && was <= depth ? "left" : "";
    if (!was || was > depth) return "entered";
    return is < was ? `↑${was - is}` : is > was ? `↓${is - was}` : "=";
  };
  const KINDS = new Map([["r", "relevant"], ["n", "not relevant"], ["u", "no judgment"]]);
  const grade = (topic, at) => {
    const kind = topic.c[at];
    const negative = kind === "u" && topic.g[at] !== NONE;
    return el("span", { class: `grade ${kind}`, title: negative ? "negative, as no judgment" : KINDS.get(kind) }, topic.g[at]);
  };
  const named = (topic, at, others) => [
    el("span", { class: "id" }, bdi(topic.d[at])),
    others.length
      ? el("span", { class: "others" }, others.map((run, i) => [i ? " · " : "", bdi(runs[run]), `\u00a0${rankText(topic.r[run][at])}`]))
      : null,
  ];
  // The words of a document over the full width of its card: two lines, until they are opened.
  const words = (topic, at, columns) => topic.x && topic.x[at]
    ? el("tr", { class: "words" }, el("td", { colspan: columns }, el("details", null, el("summary", null, bdi(topic.x[at])))))
    : null;
  const heads = (names) => names.map((name) => el("th", { scope: "col", class: name === "document" ? null : "n" }, name));
  const listing = (topic, names, rows, others) => () => [
    [...names, ...(topic.x ? ["text"] : []), ...others.map((run) => `rank in ${runs[run]}`)],
    ...rows.map(([at, ...cells]) => [...cells, ...(topic.x ? [topic.x[at]] : []), ...others.map((run) => rankText(topic.r[run][at]))]),
  ];
  const firsts = (ranks) =>
    ranks.map((rank, at) => [rank, at]).filter(([rank]) => rank && rank <= depth).sort((a, b) => a[0] - b[0]);
  const cellOf = (content, kind, head) => el(head ? "th" : "td", { class: kind, scope: head ? "row" : null }, content);
  const sheetOf = (title, value, head, rows, after, name, listed) => {
    const made = el("table", null, el("thead", null, el("tr", null, head)), el("tbody", null, rows));
    const frame = el("div", { class: "frame", tabindex: 0, role: "region", "aria-label": `Table: ${title}` }, made);
    const heading = el("h4", null, bdi(title), value ? el("span", { class: "value" }, ` ${value}`) : null);
    const sheet = el("div", { class: "sheet card" }, heading, frame, after);
    return withTools(sheet, name, listed || (() => rowsOf(made))), sheet;
  };
  const sumOf = (terms, run) => {
    const over = terms.o[terms.o.length > 1 ? run : 0];
    const below = terms.b && terms.b[run] ? `, ${terms.b[run]} of it further down` : "";
    const value = valueOf(state.measure, run, state.topic);
    if (over === "0") return `Sum: ${terms.s[run]}${below}; there is nothing to divide it by, and the value is ${value}`;
    return `Sum: ${terms.s[run]}${below}${terms.x ? ` × ${terms.x}` : ""}${over === "1" ? "" : ` ÷ ${over}`} = ${value}`;
  };

  const ranking = (topic, run, against, others) => {
    const terms = topic.t[state.measure];
    const ranks = topic.r[run];
    const places = firsts(ranks);
    const moves = places.map(([rank, at]) => (against === null ? null : events(topic.r[against][at], rank)));
    const kind = (move) => (move === "entered" ? "new" : move[0] === "↑" ? "up" : move[0] === "↓" ? "down" : "");
    const rows = places.map(([rank, at], i) => [
      el(
        "tr",
        null,
        cellOf([String(rank), against === null ? null : el("span", { class: `move ${kind(moves[i])}` }, moves[i])], "n", true),
        cellOf(named(topic, at, others), "doc"),
        cellOf(grade(topic, at), "n"),
        terms ? cellOf(terms.v[run][rank - 1], "n") : null,
      ),
      words(topic, at, terms ? 4 : 3),
    ]);
    const names = ["rank", ...(against === null ? [] : ["move"]), "document", "grade", ...(terms ? ["adds"] : [])];
    const cells = places.map(([rank, at], i) => [
      at, String(rank), ...(against === null ? [] : [moves[i]]), topic.d[at], topic.g[at], ...(terms ? [terms.v[run][rank - 1]] : []),
    ]);
    const notes = [];
    if (!rows.length) notes.push(el("p", { class: "note" }, `Nothing ${data.cut ? "stands above the cut" : "was retrieved"}.`));
    if (terms) notes.push(el("p", { class: "note sum" }, sumOf(terms, run)));
    if (topic.n[run] > depth) {
      notes.push(el("p", { class: "note" }, `${count(topic.n[run])} documents ${data.cut ? "above the cut" : "retrieved"}, ${depth} shown.`));
    }
    if (against !== null) {
      const left = firsts(topic.r[against]).filter(([, at]) => events(topic.r[against][at], ranks[at]) === "left");
      if (left.length) {
        const each = left.map(([was, at], i) => [
          i ? ", " : "",
          bdi(topic.d[at]),
          ` (was ${was}, ${ranks[at] ? `now ${ranks[at]}` : data.lost})`,
        ]);
        notes.push(el("p", { class: "note" }, `Left the first ${depth}: `, each, "."));
      }
    }
    const value = valueOf(state.measure, run, state.topic);
    return sheetOf(runs[run], value, heads(names.filter((name) => name !== "move")), rows.flat().filter(Boolean), notes, `ranking-${run + 1}`, listing(topic, names, cells, others));
  };

  const ideal = (topic) => {
    const terms = topic.t[state.measure];
    if (!terms || !terms.i) return null;
    const graded = terms.i.every(([at, gain]) => gain === topic.g[at]);
    const rows = terms.i.map(([at, gain, adds], place) => [
      el(
        "tr",
        null,
        cellOf(String(place + 1), "n", true),
        cellOf(named(topic, at, state.runs), "doc"),
        cellOf(grade(topic, at), "n"),
        graded ? null : cellOf(gain, "n"),
        cellOf(adds, "n"),
      ),
      words(topic, at, graded ? 4 : 5),
    ]);
    const names = ["rank", "document", "grade", ...(graded ? [] : ["gain"]), "adds"];
    const cells = terms.i.map(([at, gain, adds], place) => [
      at, String(place + 1), topic.d[at], topic.g[at], ...(graded ? [] : [gain]), adds,
    ]);
    const note = rows.length ? null : el("p", { class: "note" }, "There is nothing to find.");
    return sheetOf("Ideal ranking", "", heads(names), rows.flat().filter(Boolean), note, "ideal", listing(topic, names, cells, state.runs));
  };

  // Ranks of each document in the chosen runs, joined by lines; what is no rank has a rail of its own.
  const slopes = (topic) => {
    const chosen = state.runs;
    if (chosen.length < 2) return null;
    const gap = 18, top = 34, wide = 190, left = 150;
    const shown = topic.d.map((_, at) => at).filter((at) => chosen.some((run) => topic.r[run][at] && topic.r[run][at] <= depth));
    const last = Math.max(1, ...chosen.map((run) => firsts(topic.r[run]).length));
    const below = top + (last + 0.6) * gap, lost = below + 1.7 * gap;
    const y = (rank) => (!rank ? lost : rank > depth ? below : top + (rank - 1) * gap);
    const x = (place) => left + place * wide;
    const width = x(chosen.length - 1) + left, height = lost + 26;
    const label = (at, text, kind, anchor) => svg("text", { x: at[0], y: at[1], class: kind, "text-anchor": anchor || "middle" }, text);
    const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
    const weight = { u: 0, n: 1, r: 2 };
    const lines = shown.sort((a, b) => weight[topic.c[a]] - weight[topic.c[b]] || a - b).map((at) => {
      const points = chosen.map((run, place) => [x(place), y(topic.r[run][at])]);
      const said = chosen.map((run) => {
        const rank = topic.r[run][at];
        return `${runs[run]}: ${!rank ? data.lost : rank > depth ? `${rank}, below the first ${depth}` : rank}`;
      });
      return svg(
        "g",
        { class: `line ${topic.c[at]}` },
        svg("title", null, `${topic.d[at]}, grade ${topic.g[at]}. ${said.join("; ")}`),
        svg("polyline", { points: points.map((point) => point.join(",")).join(" ") }),
        points.map(([cx, cy]) => svg("circle", { cx, cy, r: 3 })),
        [0, chosen.length - 1].map((place) => {
          const rank = topic.r[chosen[place]][at];
          const [cx, cy] = points[place];
          const text = cut(topic.d[at], 16);
          return rank && rank <= depth && label([place ? cx + 9 : cx - 9, cy + 4], text, "label", place ? "start" : "end");
        }),
      );
    });
    const rail = (at, text) => [
      svg("line", { x1: x(0), x2: x(chosen.length - 1), y1: at, y2: at, class: "rail" }),
      label([x(0) - 9, at + 4], text, "axis", "end"),
    ];
    const drawn = svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", class: "slopes",
        "aria-label": `Ranks of ${shown.length} documents in ${chosen.map((run) => runs[run]).join(", ")}; the tables have them` },
      chosen.map((run, place) => label([x(place), 14], cut(runs[run], 24), "run")),
      Array.from({ length: last }, (_, i) => [1, last].includes(i + 1) || (i + 1) % 5 === 0 ? label([12, y(i + 1) + 4], String(i + 1), "axis") : null),
      rail(below, `below the first ${depth}`),
      rail(lost, data.lost),
      lines,
    );
    const key = el("p", { class: "note key" }, [...KINDS].map(([kind, text]) => [el("span", { class: `grade ${kind}` }, "—"), ` ${text}  `]));
    return el("div", { class: "sheet" }, el("h4", null, "Where documents went"), el("div", { class: "frame", tabindex: 0, role: "region", "aria-label": "Picture: where documents went" }, drawn), key);
  };

  const ofValues = () => {
    const rows = state.runs.map((run) =>
      el("tr", null, cellOf(runs[run], null, true), measures.map((_, measure) => {
        const text = valueOf(measure, run, state.topic);
        return cellOf(text, `n ${barOf(text, measure)}`);
      })),
    );
    const names = [el("th", { scope: "col" }, "run"), ...heads(measures.map((each) => each.name))];
    return sheetOf("Values", "", names, rows, null, "values");
  };

  let turn = 0;
  let seeking = "";
  async function showOne() {
    const mine = (turn += 1);
    if (!one) return;
    if (state.missing !== null) {
      empty(one, el("p", { role: "status" }, "There is no query ", bdi(`“${state.missing}”`), " on this page."));
      return;
    }
    if (state.topic === null) {
      empty(one, el("p", { class: "keys" }, "Choose a query in the table above, or press j."));
      return;
    }
    const topic = await topicAt(state.topic);
    if (mine !== turn) return;
    const at = order.indexOf(state.topic);
    const step = (by) => button(by < 0 ? "‹ Previous" : "Next ›", () => move(by), {
      disabled: !order.length || (at >= 0 && !(at + by in order)), id: by < 0 ? "previous" : "next",
    });
    const pick = chooseMeasure();
    pick.value = state.measure;
    const boxes = runs.map((name, run) => {
      const box = el("input", { type: "checkbox", value: run, checked: state.runs.includes(run) });
      box.addEventListener("change", () => {
        const others = state.runs.filter((each) => each !== run);
        const next = box.checked ? [...others, run].sort((a, b) => a - b) : others;
        if (next.length) go({ runs: next });
        else box.checked = true;
      });
      return el("label", { class: "box" }, box, " ", bdi(name));
    });
    const seek = el("input", { type: "search", id: "seek", autocomplete: "off", spellcheck: "false", "aria-label": "Search the runs" });
    const seen = () => boxes.forEach((box, run) => (box.hidden = !has(runs[run], seeking) && !state.runs.includes(run)));
    seek.value = seeking;
    seek.addEventListener("input", () => ((seeking = seek.value), seen()));
    seen();
    const reference = state.runs.includes(data.baseline) ? data.baseline : state.runs[0];
    const focus = document.activeElement && one.contains(document.activeElement) ? focusOf(document.activeElement) : null;
    empty(
      one,
      el("div", { class: "bar" },
        el("span", { class: "pager" }, step(-1), step(1),
          el("span", { class: "status", role: "status" }, at < 0 ? "" : `${count(at + 1)} of ${count(order.length)} queries`)),
        el("label", null, "Measure ", pick)),
      el("fieldset", { class: "runs" }, el("legend", null, "Runs"), runs.length > 8 && seek, boxes),
      el("h3", { id: "query-name", tabindex: -1 }, bdi(queries[state.topic])),
      titles && titles[state.topic] ? el("p", { class: "title" }, bdi(titles[state.topic])) : null,
      ofValues(),
      el("div", { class: "cards" },
        state.runs.map((run) => ranking(topic, run, run === reference ? null : reference, state.runs.filter((each) => each !== run))),
        ideal(topic)),
      state.runs.length > 1
        ? el("p", { class: "note" }, "Moves are those from ", bdi(runs[reference]), `; ${NONE} is ${data.lost}.`)
        : null,
      slopes(topic),
    );
    if (focus) focusAgain(focus);
  }
  const focusable = () => all("button, select, input, [tabindex]", one);
  const focusOf = (element) => (element.id ? { id: element.id } : { place: focusable().indexOf(element) });
  const focusAgain = ({ id, place }) => {
    const found = id ? document.getElementById(id) : focusable()[place];
    const target = found && !found.disabled ? found : find("#query-name");
    if (target) target.focus({ preventScroll: true });
  };
  const move = (by) => {
    const at = order.indexOf(state.topic);
    const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by;
    if (next in order) {
      page = Math.floor(next / data.rows);
      go({ topic: order[next] });
    }
  };

  // Keys

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const target = event.target;
    if (target === search && event.key === "Escape") {
      search.value = "";
      search.dispatchEvent(new Event("input"));
      return;
    }
    if (target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))) return;
    if (one && (event.key === "j" || event.key === "k")) move(event.key === "j" ? 1 : -1);
    else if (event.key === "/") {
      event.preventDefault();
      search.focus();
    }
  });

  const render = async (scroll) => {
    arrange();
    if (scroll && order.includes(state.topic)) page = Math.floor(order.indexOf(state.topic) / data.rows);
    showTopics();
    await showOne();
    const name = find("#query-name");
    if (one && scroll && (name || state.missing !== null)) {
      find("#query").scrollIntoView();
      if (name && !one.contains(document.activeElement)) name.focus({ preventScroll: true });
    }
  };
  // Links to parts of the page leave in its address what is looked at.
  for (const link of all("nav a")) {
    link.addEventListener("click", (event) => {
      if (!location.hash.includes("=") || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const heading = find(`${link.hash}-h`);
      find(link.hash).scrollIntoView();
      heading.setAttribute("tabindex", "-1");
      heading.focus({ preventScroll: true });
    });
  }
  addEventListener("hashchange", () => {
    const was = state.topic;
    const asked = read();
    render(asked && (state.topic !== was || state.missing !== null));
  });
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));

  (async () => {
    try {
      values = typeof data.values === "string" ? await unpacked(data.values) : data.values;
      furnish();
      if (runs.length > 1) furnishBoard();
      const asked = read();
      await render(asked);
    } catch (error) {
      const why = typeof DecompressionStream === "undefined" ? "this browser is too old to unpack its data" : String(error);
      const place = one || table.closest(".sheet");
      place.prepend(el("p", { class: "bad" }, `Single queries cannot be shown: ${why}.`));
    }
    document.documentElement.setAttribute("data-ready", "");
  })();
})();
