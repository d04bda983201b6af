import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { join as joinPosix } from 'node:path/posix'

/** Sections for users of Holdfast; the others are for contributors. */
const SECTIONS = ['tutorial', 'guides', 'reference', 'explanation', 'compatibility'] as const

const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g

/**
 * Copies the docs for users of the package, and writes `llms.txt`, the list of pages for coding agents. Links to pages outside the package become plain text.
 *
 * @param target - the folder of the package
 * @see https://llmstxt.org
 */
export function stageDocs(root: string, target: string): void {
  const pages = SECTIONS.flatMap((section) => pagesIn(root, `docs/${section}`))
  const staged = new Set(pages)
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(LINK, (link, words: string, to: string) =>
      isIn(staged, page, to) ? link : words,
    )
    mkdirSync(dirname(join(target, page)), { recursive: true })
    writeFileSync(join(target, page), text)
  }
  const { description } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')) as { description: string }
  const summaries = new Map(pages.map((page) => [page, summaryOf(readFileSync(join(target, page), 'utf8'))]))
  writeFileSync(
    join(target, 'llms.txt'),
    listPages(description, readFileSync(join(root, 'docs/README.md'), 'utf8'), summaries),
  )
}

function pagesIn(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `${folder}/${name}`)
}

function isIn(pages: ReadonlySet<string>, from: string, to: string): boolean {
  if (/^(?:[a-z]+:|#)/.test(to)) return true
  return pages.has(joinPosix(dirname(from), to.split('#')[0] ?? ''))
}

/** Renders the headings and links of the docs' first page, with the first sentence of each page. */
function listPages(description: string, contents: string, summaries: ReadonlyMap<string, string>): string {
  const lines = [
    '# Holdfast',
    '',
    `> ${description}`,
    '',
    'These pages lie beside this file. Begin with docs/guides/work-with-a-coding-agent.md.',
  ]
  const listed = new Set<string>()
  let heading: string | undefined
  for (const line of contents.split('\n')) {
    if (line.startsWith('## ')) heading = line
    for (const [, title = '', to = ''] of line.matchAll(LINK)) {
      const page = joinPosix('docs', to)
      const summary = summaries.get(page)
      // Lists a page once, even if it is among the first pages and in its group.
      if (summary === undefined || listed.has(page)) continue
      listed.add(page)
      if (heading !== undefined) lines.push('', heading, '')
      heading = undefined
      lines.push(`- [${title}](${page}): ${summary}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** @returns the first sentence of a page's first paragraph, without links */
export function summaryOf(page: string): string {
  const prose = page.replaceAll(/^```[\s\S]*?^```/gm, '')
  const paragraph = prose.split(/\n{2,}/).find((block) => /^\s*(?:[A-Za-z`[]|\*\*)/.test(block)) ?? ''
  const text = paragraph
    .replaceAll(LINK, '$1')
    .replaceAll(/\*\*/g, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim()
  return /^.*?(?:[.:](?=\s|$)|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
