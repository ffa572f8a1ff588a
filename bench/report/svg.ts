// Bars, as a picture that is readable on light and on dark.

type Bar = { label: string; parts: { name: string; value: number }[]; note?: string }
export type Chart = { title: string; unit: string; bars: Bar[] }

const [width, labelWidth, noteWidth, rowHeight, barHeight, top] = [760, 170, 150, 30, 18, 58]
const colours = ['a', 'b', 'c']

const style = `
text{font:13px system-ui,sans-serif;fill:#24292f}.t{font-weight:600;font-size:15px}.q{fill:#57606a;font-size:12px}
.a{fill:#2f6fdb}.b{fill:#d1792b}.c{fill:#5f9b4c}.l{stroke:#8b949e;stroke-opacity:.5}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.q{fill:#9da7b3}.a{fill:#6ea4ff}.b{fill:#eda35c}.c{fill:#8ccb77}}`

export function drawBars({ title, unit, bars }: Chart): string {
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0))
  const scale = (width - labelWidth - noteWidth) / Math.max(...sums, Number.MIN_VALUE)
  const names = [...new Set(bars.flatMap(({ parts }) => parts.map(({ name }) => name)))]
  const height = top + bars.length * rowHeight + 8
  const rows = bars.map((bar, i) => row(bar, sums[i] ?? 0, top + i * rowHeight, scale, names, unit))
  const legend = names.length > 1 ? names.map(legendOf) : []
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><style>${style}</style>`,
    `<text class="t" x="0" y="18">${escaped(title)}</text>`,
    ...legend,
    ...rows,
    `<line class="l" x1="${labelWidth}" y1="${top - 6}" x2="${labelWidth}" y2="${height - 8}"/>`,
    '</svg>\n',
  ].join('\n')
}

function row(bar: Bar, sum: number, y: number, scale: number, names: readonly string[], unit: string): string {
  let x = labelWidth
  const rects = bar.parts.map(({ name, value }) => {
    const length = Math.max(value * scale, 0.5)
    const rect = `<rect class="${colours[names.indexOf(name)] ?? 'a'}" x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}"/>`
    x += length
    return rect
  })
  const label = `<text x="${labelWidth - 8}" y="${y + 14}" text-anchor="end">${escaped(bar.label)}</text>`
  const note = `<text class="q" x="${(x + 6).toFixed(1)}" y="${y + 14}">${escaped(`${short(sum)} ${unit}${bar.note ?? ''}`)}</text>`
  return [label, ...rects, note].join('')
}

const legendOf = (name: string, i: number): string =>
  `<rect class="${colours[i] ?? 'a'}" x="${labelWidth + i * 150}" y="30" width="12" height="12"/>` +
  `<text class="q" x="${labelWidth + 18 + i * 150}" y="41">${escaped(name)}</text>`

const short = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2))

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
