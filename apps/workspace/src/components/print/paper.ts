import { useEffect } from 'react'
import * as v from 'valibot'
import { create } from 'zustand'
import { pageLocale } from '../../lib/language.ts'
import { localValue } from '../../lib/local-value.ts'

export const PAPERS = ['A4', 'letter'] as const
export type Paper = (typeof PAPERS)[number]
export type Orientation = 'portrait' | 'landscape'

/** Regions that use Letter, as in Unicode's CLDR. */
const LETTER_REGIONS = new Set([
  'US',
  'CA',
  'MX',
  'PH',
  'CL',
  'CO',
  'VE',
  'CR',
  'GT',
  'SV',
  'NI',
  'PA',
  'PR',
  'DO',
  'BZ',
])

const kept = localValue('hf-paper', v.picklist(PAPERS))

/** Returns the usual paper of a region; A4 where the locale names none. */
export function paperOf(locale: string): Paper {
  const { region } = new Intl.Locale(locale)
  return region !== undefined && LETTER_REGIONS.has(region) ? 'letter' : 'A4'
}

export const usePaper = create<{ readonly paper: Paper }>(() => ({ paper: kept.read() ?? paperOf(pageLocale()) }))

/** Chooses the paper, for this device. */
export function setPaper(paper: Paper): void {
  kept.write(paper)
  usePaper.setState({ paper })
}

/** Returns the CSS of the printed pages: size, margins, and page numbers where the browser supports margin boxes. */
export function pageCss(paper: Paper, orientation: Orientation, footer: string): string {
  const font = 'font: 8pt Inter, system-ui, sans-serif; color: #4a5b5a;'
  return `@page { size: ${paper} ${orientation}; margin: 14mm 12mm 16mm;
    @bottom-left { content: ${cssText(footer)}; ${font} }
    @bottom-right { content: counter(page) " / " counter(pages); ${font} } }
    @media print { #root main [data-print-sheet] svg { display: block; } }`
}

/** Quotes a text for CSS. */
function cssText(text: string): string {
  return `"${text.replace(/[\\"<\n\r\f]/g, (letter) => `\\${letter.codePointAt(0)?.toString(16) ?? ''} `)}"`
}

/** Applies {@link pageCss} while a document is shown. The content security policy allows no style elements. */
export function usePageCss(css: string): void {
  useEffect(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    document.adoptedStyleSheets.push(sheet)
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    }
  }, [css])
}
