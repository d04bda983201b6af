import { isLocalColumnName, isLocalTableName } from '@holdfast/protocol'

const NAME_MAX = 51

/**
 * Returns an SQL name for a label: lower-case letters, digits and underscores. `Größe (m)` becomes `groesse_m`. A label without such letters is named by its
 * position, `field_2`. Devices use the same name, so names reserved there get a prefix: `table_sqlite_export`.
 *
 * @param isTaken - whether the name already exists
 */
export function nameOf(label: string, otherwise: string, isTaken: (name: string) => boolean): string {
  const plain = label
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' })[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  const isPlain = isLocalTableName(plain) && isLocalColumnName(plain) && !/^(?:(?:pg|ps|hf)_|[0-9])/.test(plain)
  const own = isPlain ? plain : `${otherwise}_${plain}`
  const wanted = own === '' ? otherwise : own.slice(0, NAME_MAX).replace(/_+$/, '')
  if (own !== '' && !isTaken(wanted)) return wanted
  for (let copy = own === '' ? 1 : 2; ; copy += 1) {
    const end = `_${copy}`
    const name = `${wanted.slice(0, NAME_MAX - end.length)}${end}`
    if (!isTaken(name)) return name
  }
}
