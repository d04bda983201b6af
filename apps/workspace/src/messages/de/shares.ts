import { formatLongDay } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { endedAccessMessages as englishEnded, shareMessages as english } from '../shares.ts'

export const shareMessages: Translation<typeof english> = {
  open: 'Mit einem Gast teilen',
  title: (record) => `„${record}“ teilen`,
  detail: 'Ein Gast sieht diesen Eintrag, bis Sie ihn nicht mehr teilen oder der Zugang des Gastes endet.',
  rules: 'Ob Gäste auch zugehörige Einträge wie Fotos sehen, hängt von den Regeln der einzelnen Tabellen ab.',
  guests: 'Gäste',
  search: 'Gast suchen',
  noMatch: (text) => `Kein Gast heißt „${text}“`,
  none: 'Es gibt noch keine Gäste.',
  noneDetail:
    'Laden Sie unter Personen jemanden mit der Rolle Gast ein. Mitglieder sehen Einträge nach ihrer Rolle und ihrem Team.',
  toPeople: 'Personen öffnen',
  mayChange: 'Darf ihn ändern',
  mayChangeNamed: (name) => `${name} darf ihn ändern`,
  until: (at) => `Zugang bis ${formatLongDay(at)}`,
  ended: (at) => `Zugang endete am ${formatLongDay(at)}: sieht nichts`,
  suspended: 'Zurzeit kein Zugang: sieht nichts',
  done: 'Fertig',
  label: (name) => `Mit ${name} teilen`,
  unsharedLabel: (name) => `Nicht mehr mit ${name} teilen`,
}

export const endedAccessMessages: Translation<typeof englishEnded> = {
  ended: (at) => `Ihr Zugang endete am ${formatLongDay(at)}`,
  suspended: 'Ihr Zugang wurde vorläufig entzogen',
  detail:
    'Die Einträge des Arbeitsbereichs sind nicht mehr auf diesem Gerät. Wenn Sie sie noch brauchen, fragen Sie, wer Sie eingeladen hat.',
}
