import GitHubSlugger from 'github-slugger'
import type { MarkdownIt, Token } from './markdown-it.ts'
import { addressOf } from './contents.ts'
import { join } from 'node:path/posix'

export interface Heading {
  readonly level: 2 | 3
  readonly id: string
  readonly text: string
}

/** What Eleventy hands to the renderer: where the page lies. */
interface Environment {
  readonly page: { readonly inputPath: string }
}

/**
 * Makes pages of the repository pages of the site: headings get the ids that the forge gives them, links between pages lead to pages, links to what the
 * site does not have become their text, tables can scroll by themselves.
 *
 * @param files - pages and pictures that the site has, relative to `docs`
 * @param headings - gets the headings of each page when it is rendered, by its input path
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
  // A person with a keyboard has to be able to scroll a wide table.
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

/** A link that leads out of the site is made a `span`: markdown-it renders tags by their names. */
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

/** @returns where a link of a page leads in the site, relative as it was; `undefined` if the site does not have it */
function siteAddress(link: string, page: string, files: ReadonlySet<string>): string | undefined {
  if (/^(?:[a-z]+:|#)/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const target = join(page, '..', path)
  if (!files.has(target)) return undefined
  const address = path.endsWith('README.md') ? path.replace(/README\.md$/, 'index.html') : addressOf(path)
  return anchor === undefined ? address : `${address}#${anchor}`
}
