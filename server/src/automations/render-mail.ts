import { escapeHtml } from '../digest/render-digest.ts'
import type { CallSubject } from './call-queue.ts'

const WORDS = {
  en: {
    open: 'Open the record',
    why: (automation: string, workspace: string) =>
      `The automation “${automation}” of ${workspace} sends this mail. Ask an admin of ${workspace} to stop it.`,
  },
  de: {
    open: 'Eintrag öffnen',
    why: (automation: string, workspace: string) =>
      `Diese Mail verschickt die Automation „${automation}“ von ${workspace}. Ein Admin von ${workspace} kann sie abstellen.`,
  },
} as const

/** Renders a mail of an automation as plain text and equivalent HTML. Escapes all user content. */
export function renderMail(given: {
  readonly subject: string
  readonly text: string
  readonly about: Pick<CallSubject, 'automation' | 'workspace' | 'language' | 'table' | 'recordId'>
  /** URL of the workspace in the app, without trailing slash. */
  readonly home: string
}): { readonly subject: string; readonly html: string; readonly text: string; readonly link: string } {
  const { about, home } = given
  const language = about.language.startsWith('de') ? 'de' : 'en'
  const words = WORDS[language]
  const why = words.why(about.automation, about.workspace)
  const link =
    about.recordId === null
      ? home
      : `${home}/t/${encodeURIComponent(about.table)}/r/${encodeURIComponent(about.recordId)}`
  const paragraphs = given.text.split(/\n{2,}/).map((one) => `<p>${escapeHtml(one).replaceAll('\n', '<br>')}</p>`)
  const html = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#fff;color:#1a1a1a;font:16px/1.5 system-ui,sans-serif"><div style="max-width:560px;margin:0 auto">
${paragraphs.join('\n')}
${about.recordId === null ? '' : `<p style="margin:24px 0"><a href="${escapeHtml(link)}">${escapeHtml(words.open)}</a></p>`}
<p style="color:#595959;font-size:14px">${escapeHtml(why)}</p>
</div></body></html>`
  const lines = [given.text, ...(about.recordId === null ? [] : ['', `${words.open}: ${link}`]), '', why, '']
  return { subject: given.subject.replaceAll(/\s+/g, ' ').trim().slice(0, 200), html, text: lines.join('\n'), link }
}
