import { quoteIdentifier, quoteLiteral, type Transaction } from '@holdfast/postgres'

const UNDO = 'rollback to savepoint print_body; release savepoint print_body'

export interface PrintedFunction {
  /** Of the function that `create` makes, in the schema of temporary objects. */
  readonly name: string
  /** Arguments and result, as `create function` takes them after the name. */
  readonly signature: string
  /** Statements, as users wrote them. */
  readonly statements: string
}

/**
 * Has Postgres resolve the names in statements: makes them the standard body of a temporary function, prints it, and undoes all of it. Three round trips: ours go
 * together, and what users wrote goes alone, as the extended protocol takes no second statement.
 *
 * @param path - the search path that names are resolved under
 * @returns the body; `undefined` if the function is not there
 * @throws what Postgres says of it; the transaction goes on
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
