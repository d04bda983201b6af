import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { COMMENTS_TABLE, useAuthorSql } from '../data/comments-table.ts'
import { type SqlPart } from '../sql.ts'
import { wordsOf, wordSql } from './word-sql.ts'

/** A matching comment. */
export interface CommentHit {
  readonly id: string
  readonly body: string
  readonly author: string | null
  /** Local name of its record's table. */
  readonly table: string
  readonly recordId: string
}

/** Returns local comments containing every word, newest first. @param text - blank for no search */
export function useCommentHits(
  text: string,
  limit: number,
): { readonly hits: readonly CommentHit[]; readonly isReading: boolean } {
  const { search } = useLocalDatabase()
  const isThere = useSchema().tables.some(({ name }) => name === COMMENTS_TABLE)
  const author = useAuthorSql('t.author_id')
  const words = wordsOf(text)
  const isAsked = isThere && words.length > 0
  const parts: readonly SqlPart[] = words.map((word) =>
    wordSql(['t.body'], word, search?.candidates(COMMENTS_TABLE, [], word)),
  )
  const sql = `select t.id, t.body, ${author} as author, t.table_name as "table", t.record_id as recordId from ${COMMENTS_TABLE} t
    where t.deleted_at is null and ${parts.map((part) => part.text).join(' and ')} order by t.created_at desc, t.id limit ?`
  const { rows, isCurrent, error } = useRecords<CommentHit>(
    isAsked ? sql : '',
    isAsked ? [...parts.flatMap(({ values }) => values), limit] : [],
  )
  return { hits: isAsked ? rows : [], isReading: isAsked && !isCurrent && error === undefined }
}
