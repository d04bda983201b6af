import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Digest, DigestItem } from './read-digest.ts'
import { type RenderedDigest, renderDigest, type RenderDigestOptions } from './render-digest.ts'

const PERSON: RenderDigestOptions['person'] = {
  userId: 'u1',
  email: 'ana@example.org',
  timeZone: 'Europe/Berlin',
  language: 'en',
  workspace: 'Northline',
  day: '2026-11-20',
  since: null,
}
const ITEM: DigestItem = {
  kind: 'comment',
  table: 'tasks',
  record: 'r1',
  title: 'Pump',
  who: 'Ben',
  text: 'Leaks again',
  day: undefined,
}

function render(
  items: readonly Partial<DigestItem>[],
  { total = items.length, refused = 0, ...person }: Partial<typeof PERSON> & { total?: number; refused?: number } = {},
): RenderedDigest {
  const digest: Digest = { items: items.map((item) => ({ ...ITEM, ...item })), total, isNew: true }
  const addresses = { home: 'https://app.example/w/1', offUrl: 'https://app.example/off?a=1&b=2' }
  return renderDigest({ person: { ...PERSON, ...person }, digest, refused, ...addresses })
}

/** Returns the page's text, as a mail program displays it. */
function wordsOf(html: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/&(lt|gt|quot|#39|amp);/gu, (_, name: string) => entities[name] ?? '')
}

describe('the daily mail', () => {
  test('shows what people wrote as they wrote it, and nothing of it is markup or a header', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom(
        '<img src=x onerror=alert(1)>',
        '"><script>',
        "' onclick='x",
        '&lt;b&gt;',
        'a\r\nBcc: x@y.example',
      ),
    )
    const tagsOf = (html: string): readonly string[] =>
      html.match(/<[^>]*>/gu)?.map((tag) => tag.split(/[\s>]/u)[0] ?? '') ?? []
    const usual = tagsOf(render([{}]).html)
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (title, who, text, workspace) => {
        const { html, subject, text: plain } = render([{ title, who, text }], { workspace })
        expect(tagsOf(html)).toEqual(usual)
        const oneLine = (words: string): string => words.replaceAll(/\s+/gu, ' ').trim()
        for (const words of [title, who, text]) {
          expect(wordsOf(html)).toContain(oneLine(words))
          expect(plain).toContain(oneLine(words))
        }
        expect(subject).not.toMatch(/[\r\n]/u)
      }),
    )
  })

  test('leads to the record, whatever its table and key are called', () => {
    const { text } = render([
      { table: 'a/b', record: 'x?y#z' },
      { kind: 'assigned', record: '1' },
      { kind: 'overdue', record: '2', day: '2026-11-19' },
    ])
    expect(text.match(/https:\S+\/t\/\S+/gu)).toEqual([
      'https://app.example/w/1/t/a%2Fb/r/x%3Fy%23z?tab=comments',
      'https://app.example/w/1/t/tasks/r/1?tab=history',
      'https://app.example/w/1/t/tasks/r/2',
    ])
  })

  test.each([
    ['en', 1, 0, '1 new thing in Northline', []],
    ['en-US', 1, 1, '2 new things in Northline', ['A change of yours was not accepted']],
    ['de', 1, 0, '1 Neuigkeit in Northline', []],
    ['de-AT', 3, 2, '5 Neuigkeiten in Northline', ['und 2 weitere', '2 Ihrer Änderungen wurden nicht angenommen']],
    ['fr', 3, 0, '3 new things in Northline', ['and 2 more in your inbox']],
  ])('counts in %s what is new (%i) and refused (%i)', (language, total, refused, subject, notes) => {
    const mail = render([{}], { language, total, refused })
    expect(mail.subject).toBe(subject)
    for (const note of notes) expect([mail.text, wordsOf(mail.html)].every((one) => one.includes(note))).toBe(true)
  })

  test('says a day in the language, and names what has no title or author', () => {
    expect(render([{ kind: 'overdue', day: '2026-03-01' }], { language: 'de' }).text).toContain('fällig 1. März 2026')
    expect(render([{ title: undefined, who: undefined }]).text).toContain(
      '* Record without a title – Somebody: Leaks again',
    )
  })
})
