import type { MeasuredGroup } from "./benchmark.ts";

const width = 720;
const valueWidth = 80;
const letterWidth = 7.2;

/** The chart has its own background, so that it is readable where page and system differ in theme. */
const style = `
  svg { color-scheme: light dark }
  text { font: 13px system-ui, sans-serif; fill: light-dark(#1f2328, #f0f6fc) }
  .card { fill: light-dark(#fff, #0d1117); stroke: light-dark(#d1d9e0, #3d444d) }
  .bar { fill: light-dark(#8c959f, #656c76) }
  .ours { fill: light-dark(#0969da, #4493f8) }
`;

/** Formats a figure with three digits, or all of an integral part that is longer. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en-US", {
    maximumFractionDigits: 0,
    maximumSignificantDigits: 3,
    roundingPriority: "morePrecision",
  });
}

/** Describes a chart in words, for readers without the image. */
export function describeChart({ title, unit, rows }: MeasuredGroup): string {
  const values = rows.map(({ name, median }) => `${name} ${formatNumber(median)} ${unit}`);
  return `${title}, medians: ${values.join("; ")}.`;
}

export function renderChart(group: MeasuredGroup): string {
  const { title, unit, rows } = group;
  const left = Math.ceil(26 + letterWidth * Math.max(...rows.map(({ name }) => name.length)));
  const scale = (width - left - valueWidth) / Math.max(...rows.map(({ median }) => median));
  const bars = rows.map(({ name, median }, index) => {
    const y = 44 + index * 26;
    const length = Math.round(median * scale);
    return `<text x="${left - 10}" y="${y + 14}" text-anchor="end">${escape(name)}</text>
<rect class="bar${name.includes("tryon") ? " ours" : ""}" x="${left}" y="${y}" width="${length}" height="18"/>
<text x="${left + length + 8}" y="${y + 14}">${formatNumber(median)}</text>`;
  });
  const height = 52 + rows.length * 26;
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escape(title)}</title>
<desc>${escape(describeChart(group))}</desc>
<style>${style}</style>
<rect class="card" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6"/>
<text x="16" y="26" font-weight="600">${escape(title)}, ${unit}</text>
${bars.join("\n")}
</svg>
`;
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
