import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { EleventyConfig } from '@11ty/eleventy'
import highlight from '@11ty/eleventy-plugin-syntaxhighlight'
import { addressOf, neighboursOf, readContents } from './contents.ts'
import { readPages, type Heading } from './markdown.ts'

/** Folders with pages for users of Holdfast; the others are for its developers. */
const SECTIONS = ['tutorial', 'guides', 'reference', 'explanation', 'compatibility']

/** Eleventy's data of a page while computing more data. */
interface PageData {
  readonly page: { readonly inputPath: string; readonly rawInput: string }
}

function listFiles(): ReadonlySet<string> {
  const files = [...SECTIONS, 'images'].flatMap((folder) =>
    readdirSync(join('docs', folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => `${folder}/${name}`),
  )
  return new Set(['README.md', ...files])
}

function addressIn({ page }: PageData): string {
  return addressOf(page.inputPath.replace(/^(?:\.\/)?docs\//, ''))
}

/** Configures Eleventy. The working directory is the repository. */
export default function configure(config: EleventyConfig): void {
  const files = listFiles()
  const sections = readContents(readFileSync('docs/README.md', 'utf8'), files)
  config.setUseGitIgnore(false)
  for (const path of ['docs/decisions', 'docs/dependencies.md']) config.ignores.add(path)
  config.addPlugin(highlight)
  const headings = new Map<string, readonly Heading[]>()
  config.amendLibrary('md', (markdown) => readPages(markdown, files, headings))
  config.addFilter('headings', (page) => headings.get(page))
  config.addPassthroughCopy({
    'docs/images': 'images',
    'apps/workspace/public/icon.svg': 'icon.svg',
    'apps/docs/theme/site.css': 'site.css',
    'apps/docs/theme/search.js': 'search.js',
  })
  config.addGlobalData('layout', 'page.njk')
  config.addGlobalData('sections', sections)
  config.addGlobalData('eleventyComputed', {
    permalink: addressIn,
    address: addressIn,
    top: (data: PageData) => '../'.repeat(addressIn(data).split('/').length - 1),
    title: ({ page }: PageData) => /^# (.+)$/m.exec(page.rawInput)?.[1]?.replaceAll('`', ''),
    neighbours: (data: PageData) => neighboursOf(sections, addressIn(data)),
  })
}

export const config = {
  dir: { includes: '../apps/docs/theme' },
  // Pages show mail templates, which Eleventy must not evaluate.
  markdownTemplateEngine: false,
  templateFormats: ['md'],
}
