import * as components from 'react-aria-components/i18n/de-DE'
import type { Catalogue } from '../../lib/texts.ts'

/** German texts by the name of the English ones: every file of this folder has those of the file of that name above it. */
export const texts: Catalogue = Object.assign(
  {},
  ...Object.values(import.meta.glob<Catalogue>(['./*.ts', '!./german.ts', '!./*.test.ts'], { eager: true })),
) as Catalogue

/** What the component library says to screen readers. */
export const componentTexts: unknown = Reflect.get(components, 'default')

/** Where these texts were loaded from. */
export const address = import.meta.url
