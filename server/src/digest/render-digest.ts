import type { Digest, DigestItem } from './read-digest.ts'
import type { DuePerson } from './queue.ts'
import { type DigestWords, digestWords } from './words.ts'

/** A rendered mail. */
export interface RenderedDigest {
  readonly subject: string
  readonly html: string
  readonly text: string
}

export interface RenderDigestOptions {
  readonly person: DuePerson
  readonly digest: Digest
  /** Number of the user's rejected changes. */
  readonly refused: number
  /** URL of the workspace in the app, without trailing slash. */
  readonly home: string
  /** Unsubscribe link. */
  readonly offUrl: string
}

interface Line {
  readonly title: string
  readonly link: string
  readonly detail: string
}

/** Renders the mail as plain text and equivalent HTML. Escapes all user content. */
export function renderDigest({ person, digest, refused, home, offUrl }: RenderDigestOptions): RenderedDigest {
  const words = digestWords(person.language)
  const groups = [...Map.groupBy(digest.items, ({ kind }) => kind)].map(([kind, items]) => ({
    heading: words.headings[kind],
    lines: items.map((item) => lineOf(item, words, home)),
  }))
  const notes = [
    ...(digest.total > digest.items.length ? [words.more(digest.total - digest.items.length)] : []),
    ...(refused > 0 ? [words.refused(refused)] : []),
  ]
  const lead = words.lead(person.workspace)
  const inbox = `${home}/inbox`
  const text = [
    lead,
    ...groups.flatMap(({ heading, lines }) => [
      '',
      heading,
      ...lines.flatMap(({ title, link, detail }) => [`* ${title}${detail === '' ? '' : ` – ${detail}`}`, `  ${link}`]),
    ]),
    ...notes.flatMap((note) => ['', note]),
    '',
    `${words.openInbox}: ${inbox}`,
    '',
    words.why(person.workspace),
    `${words.turnOff}: ${offUrl}`,
    '',
  ].join('\n')
  const html = `<!doctype html>
<html lang="${words.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#fff;color:#1a1a1a;font:16px/1.5 system-ui,sans-serif"><div style="max-width:560px;margin:0 auto">
<p>${escapeHtml(lead)}</p>
${groups
  .map(
    ({ heading, lines }) => `<h2 style="font-size:16px;margin:24px 0 8px">${escapeHtml(heading)}</h2>
<ul style="margin:0;padding:0 0 0 20px">${lines.map(renderLine).join('')}</ul>`,
  )
  .join('\n')}
${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('\n')}
<p style="margin:24px 0"><a href="${escapeHtml(inbox)}">${escapeHtml(words.openInbox)}</a></p>
<p style="color:#595959;font-size:14px">${escapeHtml(words.why(person.workspace))} <a href="${escapeHtml(offUrl)}" style="color:#595959">${escapeHtml(words.turnOff)}</a></p>
</div></body></html>`
  return { subject: oneLine(words.subject(digest.total + refused, person.workspace)), html, text }
}

function lineOf(item: DigestItem, words: DigestWords, home: string): Line {
  const { kind, table, record, title, who = words.someone, text, day } = item
  const isComment = kind === 'mention' || kind === 'comment'
  const tab = kind === 'assigned' ? '?tab=history' : isComment ? '?tab=comments' : ''
  return {
    title: oneLine(title ?? words.untitled),
    link: `${home}/t/${encodeURIComponent(table)}/r/${encodeURIComponent(record)}${tab}`,
    detail: isComment
      ? `${words.wrote(oneLine(who))} ${oneLine(text ?? '')}`
      : kind === 'assigned'
        ? words.assigned(oneLine(who))
        : kind === 'overdue' && day !== undefined
          ? words.due(formatDay(day, words.locale))
          : '',
  }
}

function renderLine({ title, link, detail }: Line): string {
  const more = detail === '' ? '' : `<br><span style="color:#595959">${escapeHtml(detail)}</span>`
  return `<li style="margin:0 0 8px"><a href="${escapeHtml(link)}">${escapeHtml(title)}</a>${more}</li>`
}

function formatDay(day: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(day),
  )
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

export function escapeHtml(text: string): string {
  const named: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<>"']/g, (sign) => named[sign] ?? sign)
}
