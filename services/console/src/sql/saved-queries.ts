import { includesRole, type Operator, type SavedQuery } from '@holdfast/protocol'
import { sql, type Pool } from '@holdfast/postgres'
import { notYourQuery, queryUnknown, tooManyQueries } from '../errors.ts'
import { SAVED_LISTED_MAX, SAVED_QUERIES_MAX, SQL_START_CHARS } from '../limits.ts'

export interface SavedQueryFields {
  readonly name: string
  readonly text: string
  readonly isShared: boolean
}

type Author = Pick<Operator, 'id' | 'role'>

/** Named queries of operators. Others read the shared ones; only authors change theirs. */
export class SavedQueries {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async list({ id }: Author): Promise<readonly SavedQuery[]> {
    return await this.#pool.query<SavedQuery>(sql`
      select q.id, q.name, left(q.text, ${SQL_START_CHARS}) as start, q.is_shared as "isShared", q.updated_at as "updatedAt",
             q.operator_id is not distinct from ${id} as "isMine", o.name as author
        from holdfast_console.saved_queries q
        left join holdfast_console.operators o on o.id = q.operator_id
       where q.is_shared or q.operator_id = ${id}
       order by lower(q.name), q.id limit ${SAVED_LISTED_MAX}`)
  }

  /** @throws {HoldfastError} `query_unknown`, also for private queries of others */
  async read({ id: operatorId }: Author, id: string): Promise<SavedQueryFields & { readonly isMine: boolean }> {
    const [row] = await this.#pool.query<SavedQueryFields & { isMine: boolean }>(sql`
      select name, text, is_shared as "isShared", operator_id is not distinct from ${operatorId} as "isMine"
        from holdfast_console.saved_queries
       where id::text = ${id} and (is_shared or operator_id = ${operatorId})`)
    if (!row) throw queryUnknown()
    return row
  }

  /** @returns the id @throws {HoldfastError} `too_many_queries` */
  async add({ id }: Author, { name, text, isShared }: SavedQueryFields): Promise<string> {
    return await this.#pool.transaction(async (tx) => {
      // Concurrent requests of one operator wait, so that they cannot exceed the limit.
      await tx.query(sql`select from holdfast_console.operators where id = ${id} for no key update`)
      const [row] = await tx.query<{ id: string }>(sql`
        insert into holdfast_console.saved_queries (operator_id, name, text, is_shared)
        select ${id}, ${name}, ${text}, ${isShared}
         where (select count(*) from holdfast_console.saved_queries where operator_id = ${id}) < ${SAVED_QUERIES_MAX}
        returning id`)
      if (!row) throw tooManyQueries()
      return row.id
    })
  }

  /** @throws {HoldfastError} `query_unknown`, `not_your_query` */
  async change(author: Author, id: string, change: Partial<SavedQueryFields>): Promise<void> {
    const { name = null, text = null, isShared = null } = change
    const changed = await this.#pool.execute(sql`
      update holdfast_console.saved_queries
         set name = coalesce(${name}, name), text = coalesce(${text}, text), is_shared = coalesce(${isShared}, is_shared),
             updated_at = now()
       where id::text = ${id} and operator_id = ${author.id}`)
    if (changed === 0) await this.#refuse(author, id)
  }

  /** Deletes a query of the author; owners also delete shared ones of others. @throws {HoldfastError} `query_unknown`, `not_your_query` */
  async delete(author: Author, id: string): Promise<void> {
    const deleted = await this.#pool.execute(sql`
      delete from holdfast_console.saved_queries
       where id::text = ${id} and (operator_id = ${author.id} or (is_shared and ${includesRole(author.role, 'owner')}::boolean))`)
    if (deleted === 0) await this.#refuse(author, id)
  }

  async #refuse(author: Author, id: string): Promise<never> {
    await this.read(author, id)
    throw notYourQuery()
  }
}
