import * as components from 'react-aria-components/i18n/de-DE'
import type { Catalogue } from '../../lib/texts.ts'

/** German texts by the English export's name. Each file in this folder mirrors the file of the same name one level up. */
export const texts: Catalogue = Object.assign(
  {},
  ...Object.values(import.meta.glob<Catalogue>(['./*.ts', '!./german.ts', '!./*.test.ts'], { eager: true })),
) as Catalogue

/** The component library's screen reader texts. */
export const componentTexts: unknown = Reflect.get(components, 'default')

/** URL that these texts were loaded from. */
export const address = import.meta.url
