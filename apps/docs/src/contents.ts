export interface PageLink {
  /** The path within the site: `guides/saved-views.html`. */
  readonly address: string
  readonly title: string
}

export interface Section {
  readonly title: string
  /** Groups of the section. The first has no title if the section starts without a subheading. */
  readonly groups: readonly { readonly title: string | undefined; readonly pages: readonly PageLink[] }[]
}

const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+\.md)\)/g

/**
 * Parses the site's contents from the docs' first page: level-2 headings are sections, level-3 headings groups, links to pages entries.
 *
 * @param contents - the text of `docs/README.md`
 * @param pages - the site's files relative to `docs`; links to others are left out
 */
export function readContents(contents: string, pages: ReadonlySet<string>): readonly Section[] {
  const sections: { title: string; groups: { title: string | undefined; pages: PageLink[] }[] }[] = []
  for (const line of contents.split('\n')) {
    const [, marks, heading] = /^(##|###) (.+)$/.exec(line) ?? []
    if (marks === '##' && heading !== undefined)
      sections.push({ title: heading, groups: [{ title: undefined, pages: [] }] })
    else if (heading !== undefined) sections.at(-1)?.groups.push({ title: heading, pages: [] })
    for (const [, title = '', file = ''] of line.matchAll(LINK))
      if (pages.has(file))
        sections
          .at(-1)
          ?.groups.at(-1)
          ?.pages.push({ address: addressOf(file), title })
  }
  return sections
    .map(({ title, groups }) => ({ title, groups: groups.filter((group) => group.pages.length > 0) }))
    .filter(({ groups }) => groups.length > 0)
}

/** @param file - relative to `docs` */
export function addressOf(file: string): string {
  return file === 'README.md' ? 'index.html' : file.replace(/\.md$/, '.html')
}

/** Returns the pages before and after one, in contents order. A page listed twice counts at its first place. */
export function neighboursOf(
  sections: readonly Section[],
  address: string,
): { readonly before: PageLink | undefined; readonly after: PageLink | undefined } {
  const pages = sections.flatMap(({ groups }) => groups.flatMap((group) => group.pages))
  const at = pages.findIndex((page) => page.address === address)
  if (at < 0) return { before: undefined, after: address === 'index.html' ? pages[0] : undefined }
  return { before: pages[at - 1], after: pages.slice(at + 1).find((page) => page.address !== address) }
}
