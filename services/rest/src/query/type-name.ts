import { quoteIdentifier } from '@holdfast/postgres'

/** Without a length these have length one, and a cast truncates. */
const ONE_BIT = '"bit"(1)'
const ONE_CHARACTER = '"bpchar"(1)'

/**
 * Type names known to the SQL grammar but not in `pg_type`. A cast comes from a query string, so it is never inserted as text: it is one of
 * these or a quoted identifier.
 */
const GRAMMAR_TYPES: Readonly<Record<string, string>> = {
  bigint: 'int8',
  bit: ONE_BIT,
  'bit varying': 'varbit',
  boolean: 'bool',
  char: ONE_CHARACTER,
  'char varying': 'varchar',
  character: ONE_CHARACTER,
  'character varying': 'varchar',
  dec: 'numeric',
  decimal: 'numeric',
  'double precision': 'float8',
  float: 'float8',
  int: 'int4',
  integer: 'int4',
  'national char': ONE_CHARACTER,
  'national char varying': 'varchar',
  'national character': ONE_CHARACTER,
  'national character varying': 'varchar',
  nchar: ONE_CHARACTER,
  'nchar varying': 'varchar',
  real: 'float4',
  smallint: 'int2',
  'time with time zone': 'timetz',
  'time without time zone': 'time',
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
}

/** Renders a requested type: `int` becomes `pg_catalog."int4"`, and `Mood` becomes `"mood"`, resolved on the search path. */
export function renderTypeName(name: string): string {
  const folded = name.toLowerCase().replaceAll(/\s+/g, ' ')
  const known = Object.hasOwn(GRAMMAR_TYPES, folded) ? GRAMMAR_TYPES[folded] : undefined
  if (known === undefined) return quoteIdentifier(folded)
  return `pg_catalog.${known === ONE_BIT || known === ONE_CHARACTER ? known : quoteIdentifier(known)}`
}
