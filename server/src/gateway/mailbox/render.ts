import type { CapturedEntry, CapturedMessage } from '@holdfast/auth'

const VIEWS = { html: 'As sent', text: 'Text', source: 'Source' } as const

/** Display form of a message. */
export type View = keyof typeof VIEWS

export function isView(text: string | undefined): text is View {
  return text !== undefined && Object.hasOwn(VIEWS, text)
}

export interface Page {
  readonly projectName: string
  /** Newest first. */
  readonly list: readonly CapturedEntry[]
  /** The selected message, if any; the page reports an unknown id. */
  readonly open?: {
    readonly message: CapturedMessage | undefined
    readonly view: View | undefined
    readonly withPictures: boolean
  }
}

/** Renders the page: the list and the selected message. */
export function renderPage({ projectName, list, open }: Page): string {
  const title = open?.message ? `${headingOf(open.message)} · Mailbox` : 'Mailbox'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · ${escape(projectName)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/mailbox/mailbox.css">
<script src="/mailbox/mailbox.js" type="module"></script>
</head>
<body data-newest="${escape(list[0]?.id ?? '')}"${open ? ' data-reading' : ''}>
<header>
<h1><a href="/mailbox">Mailbox</a></h1>
<p>What ${escape(projectName)} would have sent. Nothing leaves this server.</p>
<p role="status"><a class="new" href="/mailbox" hidden>New message</a></p>
${list.length === 0 ? '' : '<form method="post" action="/mailbox/empty"><button>Empty the mailbox</button></form>'}
</header>
<div class="panes">
<nav aria-label="Messages">${renderList(list, open?.message?.id)}</nav>
<main>${renderMain(list, open)}</main>
</div>
</body>
</html>
`
}

/** Renders a mail as a separate document. Links open new tabs, because apps refuse to be framed. */
export function renderDocument(html: string): string {
  return `<!doctype html><base target="_blank">${html}`
}

function renderList(list: readonly CapturedEntry[], openId: string | undefined): string {
  if (list.length === 0) return ''
  const items = list.map((entry) => {
    const { id, recipient, createdAt } = entry
    const current = id === openId ? ' aria-current="page"' : ''
    return `<li><a href="/mailbox/${escape(id)}"${current}><span class="what">${escape(headingOf(entry))}</span> <span class="whom">${escape(whomOf(entry, recipient))}</span> ${renderTime(createdAt)}</a></li>`
  })
  return `<ol>${items.join('')}</ol>`
}

function renderMain(list: readonly CapturedEntry[], open: Page['open']): string {
  if (open?.message) return renderMessage(open.message, open.view, open.withPictures)
  if (open) return '<h2>This message is gone</h2><p>Messages are kept for seven days, the newest thousand.</p>'
  if (list.length > 0) return '<p class="hint">Choose a message.</p>'
  return '<h2>No messages yet</h2><p>When somebody signs up or asks for a code, the mail or text message appears here by itself.</p>'
}

function renderMessage(message: CapturedMessage, asked: View | undefined, withPictures: boolean): string {
  const { id, recipient, createdAt, code, link } = message
  const hasHtml = message.html !== ''
  const view = hasHtml ? (asked ?? 'html') : 'text'
  const views = Object.entries(VIEWS).map(
    ([name, label]) =>
      `<a href="/mailbox/${escape(id)}?view=${name}"${name === view ? ' aria-current="true"' : ''}>${label}</a>`,
  )
  return `<p class="back"><a href="/mailbox">All messages</a></p>
<h2>${escape(headingOf(message))}</h2>
<p class="meta">${escape(whomOf(message, recipient))} · ${renderTime(createdAt)} · ${escape(message.kind.replaceAll('_', ' '))}</p>
<div class="actions">
${link === undefined ? '' : `<a class="button" href="${escape(link)}" target="_blank" rel="noopener noreferrer">Open link</a>`}
${code === undefined ? '' : `<code id="code">${escape(code)}</code> <button data-copies="code">Copy code</button>`}
</div>
${hasHtml ? `<nav class="views" aria-label="Forms of the message">${views.join('')}</nav>` : ''}
${renderView(message, view, withPictures)}`
}

function renderView({ id, html, body }: CapturedMessage, view: View, withPictures: boolean): string {
  if (view === 'text') return `<pre tabindex="0">${escape(body)}</pre>`
  if (view === 'source') return `<pre tabindex="0">${escape(html)}</pre>`
  const address = `/mailbox/${escape(id)}/html${withPictures ? '?pictures' : ''}`
  const pictures =
    withPictures || !/\bsrc(?:set)?\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?https?:/i.test(html)
      ? ''
      : `<p class="pictures">Pictures from other servers are not loaded. <a href="/mailbox/${escape(id)}?pictures">Load them</a></p>`
  return `${pictures}<iframe title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" src="${address}"></iframe>`
}

function headingOf({ channel, subject, kind }: CapturedEntry): string {
  if (subject !== '') return subject
  return channel === 'sms' ? `Text message: ${kind.replaceAll('_', ' ')}` : '(no subject)'
}

/** Formats a recipient. Phone numbers are stored without a plus sign. */
function whomOf({ channel }: CapturedEntry, recipient: string): string {
  return channel === 'sms' ? `+${recipient}` : recipient
}

function renderTime(date: Date): string {
  const iso = date.toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for content and quoted attributes. */
function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
