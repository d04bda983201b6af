import GitHubSlugger from 'github-slugger'
import type { MarkdownIt, Token } from './markdown-it.ts'
import { addressOf } from './contents.ts'
import { join } from 'node:path/posix'

export interface Heading {
  readonly level: 2 | 3
  readonly id: string
  readonly text: string
}

/** What Eleventy passes to the renderer: the page's path. */
interface Environment {
  readonly page: { readonly inputPath: string }
}

/**
 * Renders the repository's pages for the site: headings get the forge's ids, links between pages lead to pages, links to files outside the site become text,
 * and tables scroll on their own.
 *
 * @param files - pages and pictures of the site, relative to `docs`
 * @param headings - receives each page's headings by input path when it is rendered
 */
export function readPages(
  markdown: MarkdownIt,
  files: ReadonlySet<string>,
  headings: Map<string, readonly Heading[]>,
): void {
  markdown.core.ruler.push('site', ({ tokens, env }) => {
    const { inputPath } = (env as Environment).page
    headings.set(inputPath, nameHeadings(tokens))
    for (const { children } of tokens) leadLinks(children ?? [], relativeToDocs(inputPath), files)
  })
  // Makes wide tables scrollable by keyboard.
  markdown.renderer.rules['table_open'] = () =>
    '<div class="table" role="region" aria-label="Table" tabindex="0"><table>\n'
  markdown.renderer.rules['table_close'] = () => '</table></div>\n'
}

function relativeToDocs(inputPath: string): string {
  return inputPath.replace(/^(?:\.\/)?docs\//, '')
}

function nameHeadings(tokens: readonly Token[]): readonly Heading[] {
  const slugger = new GitHubSlugger()
  const headings: Heading[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const text = textOf(tokens[index + 1])
    const id = slugger.slug(text)
    token.attrSet('id', id)
    if (token.tag === 'h2' || token.tag === 'h3') headings.push({ level: token.tag === 'h2' ? 2 : 3, id, text })
  }
  return headings
}

function textOf(inline: Token | undefined): string {
  return (inline?.children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')
}

/** Turns links that leave the site into `span`, because markdown-it renders tokens by tag name. */
function leadLinks(tokens: readonly Token[], page: string, files: ReadonlySet<string>): void {
  const open: Token[] = []
  for (const token of tokens) {
    if (token.type === 'link_close' && open.pop()?.tag === 'span') token.tag = 'span'
    if (token.type !== 'link_open') continue
    open.push(token)
    const target = siteAddress(token.attrGet('href') ?? '', page, files)
    if (target !== undefined) token.attrSet('href', target)
    else {
      token.tag = 'span'
      token.attrs = null
    }
  }
}

/** @returns a link's target in the site, still relative; `undefined` if the site does not have it */
function siteAddress(link: string, page: string, files: ReadonlySet<string>): string | undefined {
  if (/^(?:[a-z]+:|#)/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const target = join(page, '..', path)
  if (!files.has(target)) return undefined
  const address = path.endsWith('README.md') ? path.replace(/README\.md$/, 'index.html') : addressOf(path)
  return anchor === undefined ? address : `${address}#${anchor}`
}
