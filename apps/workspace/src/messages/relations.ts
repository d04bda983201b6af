import { inLanguages } from '../lib/texts.ts'

/** Texts for records that link to the shown one. */
export const relationMessages = inLanguages('relationMessages', {
  add: 'Add',
  addTo: (noun: string) => `Add ${noun}`,
  link: 'Link existing',
  linkTo: (noun: string) => `Link existing ${noun}`,
  linkOf: (name: string) => `link of ${name}`,
  linked: (name: string) => `${name} linked`,
  linkedTo: (name: string) => `Now linked to ${name}`,
})
