import type { Translation } from '../../lib/texts.ts'
import type { workspacesMessages as english } from '../workspaces.ts'

export const workspacesMessages: Translation<typeof english> = {
  choose: 'Arbeitsbereich wechseln',
  all: 'Arbeitsbereiche',
  start: 'Neuer Arbeitsbereich',
  startDetail: 'Sie leiten ihn. Ihre anderen Arbeitsbereiche bleiben, wie sie sind.',
  pick: 'Arbeitsbereich wählen',
  elsewhere: (name) => `Diese Tabelle ist im Arbeitsbereich ${name}`,
  open: (name) => `${name} öffnen`,
}
