import type { PluginOption } from 'vite'

/**
 * Removes the component library's texts for screen readers in languages other than English. Those of the app's languages are in its catalogue
 * (`src/messages/de/german.ts`).
 */
export const englishTexts: PluginOption = {
  name: 'english-texts',
  enforce: 'pre',
  load: {
    filter: {
      id: /\/react-(?:aria|stately|aria-components)\/dist\/.*\/intl\/(?:.*\/)?(?!en-US)[a-z]{2}-[A-Z]{2}\.mjs$/,
    },
    // The library falls back to English for a language without texts.
    handler: () => 'export default undefined',
  },
}
