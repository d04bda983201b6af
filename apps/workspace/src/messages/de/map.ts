import { capitalize, formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { mapMessages as english } from '../map.ts'

export const mapMessages: Translation<typeof english> = {
  mapOf: (table) => `${table}, Karte`,
  by: 'Nach',
  byField: (label) => `Nach ${label}`,
  near: (count, noun, many) =>
    icu('{count, plural, one {# {one}} other {# {others}}} nahe beieinander', {
      count,
      one: capitalize(noun),
      others: capitalize(many),
    }),
  closer: 'Näher heran',
  farther: 'Weiter weg',
  all: 'Alles zeigen',
  myPosition: 'Mein Standort',
  looking: 'Ihr Standort wird gesucht',
  youAreHere: (metres) => `Sie sind hier, auf ${metres} genau`,
  noPosition: 'Dieses Gerät hat nicht gesagt, wo es ist',
  positionDenied:
    'Der Browser hat den Standort nicht erlaubt. Sie können ihn in den Einstellungen dieser Seite erlauben.',
  noPlaces: (many) => `Keine dieser ${capitalize(many)} hat einen Ort`,
  noPlacesDetail: 'Einträge kommen auf die Karte, wenn die Felder für den Ort ausgefüllt sind.',
  withoutPlace: (count) => `${formatCount(count)} ohne Ort`,
  noBackground: 'Der Kartenhintergrund konnte nicht geladen werden.',
  noBackgroundOffline: 'Der Kartenhintergrund braucht eine Verbindung.',
  backgroundHasGaps: 'Teile des Kartenhintergrunds fehlen.',
  tryAgain: 'Noch einmal versuchen',
  loadAgain: 'Die App neu laden',
  credits: 'Karte:',
  noFields: 'Diese Tabelle hat keinen Ort',
  noFieldsDetail: 'Eine Karte braucht zwei Zahlen wie lat und lon oder ein Feld mit einem Punkt.',
  here: 'Einträge hier',
  keys: 'Die Pfeiltasten bewegen die Karte, Plus und Minus holen sie näher oder weiter weg, 0 zeigt alles. Tab geht von Eintrag zu Eintrag, von Norden nach Süden.',
}
