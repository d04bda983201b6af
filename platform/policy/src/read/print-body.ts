import { quoteIdentifier, quoteLiteral, type Transaction } from '@holdfast/postgres'

const UNDO = 'rollback to savepoint print_body; release savepoint print_body'

export interface PrintedFunction {
  /** Name of the temporary function that `create` makes. */
  readonly name: string
  /** Arguments and result, as after the name in `create function`. */
  readonly signature: string
  /** User-written statements. */
  readonly statements: string
}

/**
 * Lets Postgres resolve the names in statements by making them the standard body of a temporary function, printing it, and rolling back. Three round trips: our
 * statements are combined, and user code is sent alone, because the extended protocol accepts a single statement.
 *
 * @param path - search path for resolution
 * @returns the body; `undefined` if the function does not exist
 * @throws Postgres's error; the transaction remains usable
 */
export async function printBody(
  tx: Transaction,
  { name, signature, statements }: PrintedFunction,
  path: string,
): Promise<string | undefined> {
  const { client } = tx
  try {
    await client.query(`savepoint print_body; select pg_catalog.set_config('search_path', ${quoteLiteral(path)}, true)`)
    await client.query({
      text: `create function pg_temp.${quoteIdentifier(name)}${signature} language sql begin atomic ${statements}\n; end`,
      queryMode: 'extended',
    } as { text: string })
    const printed = (await client.query(
      `set local search_path = pg_catalog;
       select pg_get_function_sqlbody(p.oid) as text from pg_proc p
        where p.proname = ${quoteLiteral(name)} and p.pronamespace = pg_my_temp_schema();
       ${UNDO}`,
    )) as unknown as readonly { readonly rows: readonly { readonly text: string }[] }[]
    return printed[1]?.rows[0]?.text
  } catch (error) {
    await client.query(UNDO)
    throw error
  }
}
