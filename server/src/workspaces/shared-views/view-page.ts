import { createHash } from 'node:crypto'
import { escapeHtml } from '../../digest/render-digest.ts'
import type { Cell, ViewPage } from './read-view.ts'

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;padding:1.5rem 1rem;background:light-dark(#fff,#111615);color:light-dark(#14201d,#e7eeec)}
main{max-width:80rem;margin:0 auto}h1{font-size:1.5rem;margin:0}p{margin:.25rem 0;color:light-dark(#4d5b57,#a9b8b4)}
.scroll{overflow-x:auto;margin:1.25rem 0;border:1px solid light-dark(#d3dbd8,#33403d);border-radius:.5rem}
table{border-collapse:collapse;width:100%}th,td{padding:.5rem .75rem;text-align:start;vertical-align:top;border-bottom:1px solid light-dark(#e3e9e7,#283331)}
tr:last-child>td{border-bottom:0}th{font-size:.875rem;background:light-dark(#f4f7f6,#18201e);white-space:nowrap}td{max-width:30rem;overflow-wrap:anywhere;white-space:pre-line}
td.n{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}
a{color:light-dark(#0b6b63,#5cc8bb)}nav{display:flex;gap:1rem}:focus-visible{outline:2px solid light-dark(#1d4fd7,#8fb4ff);outline-offset:2px}
@media(max-width:40rem){thead{position:absolute;clip-path:inset(50%)}tr,td{display:block}tr{padding:.5rem 0;border-bottom:1px solid light-dark(#d3dbd8,#33403d)}
td{border:0;padding:.125rem .75rem}td.n{text-align:start}td::before{content:attr(data-label);display:block;font-size:.8125rem;color:light-dark(#4d5b57,#a9b8b4)}td:empty{display:none}}
@media print{nav{display:none}}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** Headers of shared pages. Their address is the secret, so no other site learns it, and search engines do not list it. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'x-content-type-options': 'nosniff',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
} as const

const WORDS = {
  en: {
    lead: (workspace: string, until: string) => `${workspace} · read-only, until ${until}`,
    empty: 'No records.',
    lost: 'The list has changed meanwhile.',
    first: 'First page',
    next: 'Next page',
    yes: 'Yes',
    no: 'No',
    problem: 'Page not available',
  },
  de: {
    lead: (workspace: string, until: string) => `${workspace} · nur lesen, bis ${until}`,
    empty: 'Keine Einträge.',
    lost: 'Die Liste hat sich inzwischen geändert.',
    first: 'Erste Seite',
    next: 'Nächste Seite',
    yes: 'Ja',
    no: 'Nein',
    problem: 'Seite nicht verfügbar',
  },
} as const

function wordsOf(language: string): (typeof WORDS)['en' | 'de'] {
  return WORDS[language.startsWith('de') ? 'de' : 'en']
}

/** Renders a page of a shared view in the workspace's language and time zone. It needs no script. */
export function renderView({ link, fields, rows, next, isLost }: ViewPage, isFirst: boolean): string {
  const words = wordsOf(link.language)
  const until = formatMoment(link.expires, link)
  const head = fields.map(({ label }) => `<th scope="col">${escapeHtml(label)}</th>`).join('')
  const body = rows.map((cells) => {
    const row = cells.map((cell, at) => {
      const { label = '', type = 'text', choices } = fields[at] ?? {}
      const shown = typeof cell === 'string' && choices && Object.hasOwn(choices, cell) ? (choices[cell] ?? cell) : cell
      const mark = isNumeric(type) ? ' class="n"' : ''
      return `<td${mark} data-label="${escapeHtml(label)}">${escapeHtml(formatCell(shown, type, link))}</td>`
    })
    return `<tr>${row.join('')}</tr>`
  })
  const table =
    rows.length === 0
      ? `<p>${isLost ? words.lost : words.empty}</p>`
      : `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(link.name)}"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
  const links = [
    ...(isFirst ? [] : [`<a href="?">${words.first}</a>`]),
    ...(next === undefined ? [] : [`<a rel="next" href="?after=${next}">${words.next}</a>`]),
  ]
  return document(
    link.language,
    link.name,
    `<h1>${escapeHtml(link.name)}</h1><p>${escapeHtml(words.lead(link.workspace, until))}</p>${table}${links.length === 0 ? '' : `<nav>${links.join('')}</nav>`}`,
  )
}

/** Renders why a page is not shown. */
export function renderProblem(language: string, message: string): string {
  const { problem } = wordsOf(language)
  return document(language, problem, `<h1>${problem}</h1><p>${escapeHtml(message)}</p>`)
}

function document(language: string, title: string, content: string): string {
  const lang = language.startsWith('de') ? 'de' : 'en'
  return `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main>${content}</main></body></html>`
}

function isNumeric(type: string): boolean {
  return /^(?:smallint|integer|bigint|numeric|real|double precision)/.test(type)
}

function formatCell(cell: Cell, type: string, link: ViewPage['link']): string {
  if (cell === null) return ''
  if (typeof cell === 'boolean') return wordsOf(link.language)[cell ? 'yes' : 'no']
  if (typeof cell === 'number') return new Intl.NumberFormat(localeOf(link), { maximumFractionDigits: 20 }).format(cell)
  if (typeof cell === 'object') return JSON.stringify(cell)
  if (type === 'date') return formatDay(cell, link)
  return type === 'timestamp with time zone' ? formatMoment(cell, link) : cell
}

const localeOf = ({ language }: ViewPage['link']): string => (language.startsWith('de') ? 'de-DE' : 'en-GB')

function formatDay(day: string, link: ViewPage['link']): string {
  const at = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(at.getTime())) return day
  return new Intl.DateTimeFormat(localeOf(link), { dateStyle: 'medium', timeZone: 'UTC' }).format(at)
}

function formatMoment(moment: string, link: ViewPage['link']): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: link.zone } as const
  return new Intl.DateTimeFormat(localeOf(link), format).format(at)
}
