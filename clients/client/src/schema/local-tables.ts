import { column, Table } from '@powersync/common'

/** Tables that never leave the device. */
export const localTables = {
  /** Rejected changes; see `RejectedChange`. */
  hf_local_attention: Table.createLocalOnly(
    {
      at: column.text,
      position: column.integer,
      table_name: column.text,
      record_id: column.text,
      op: column.text,
      operations: column.text,
      verdict: column.text,
      server_row: column.text,
      held_ops: column.text,
      state: column.text,
      decided_at: column.text,
    },
    { indexes: { by_state: ['state'], by_record: ['table_name', 'record_id'] } },
  ),
  /** Differences in guarded columns caused by this user's own changes; see `queue/guard-bases.ts`. */
  hf_local_bases: Table.createLocalOnly(
    {
      table_name: column.text,
      record_id: column.text,
      position: column.integer,
      was: column.text,
      now: column.text,
    },
    { indexes: { by_record: ['table_name', 'record_id'] } },
  ),
  /** Files of this user, local or not; see `attachments/file-state.ts`. The id is that of the referencing row. */
  hf_local_files: Table.createLocalOnly(
    {
      bucket: column.text,
      path: column.text,
      name: column.text,
      media_type: column.text,
      size: column.integer,
      state: column.text,
      is_paused: column.integer,
      is_eager: column.integer,
      bytes_name: column.text,
      upload_url: column.text,
      sent_bytes: column.integer,
      attempts: column.integer,
      doubts: column.integer,
      not_before: column.integer,
      problem: column.text,
      link_position: column.integer,
      used_at: column.integer,
      added_at: column.integer,
    },
    { indexes: { by_state: ['state', 'added_at'] } },
  ),
  /** Thumbnails of files stored only on the server, base64; see `attachments/small-pictures.ts`. */
  hf_local_pictures: Table.createLocalOnly(
    { file_id: column.text, media_type: column.text, picture: column.text, kept_at: column.integer },
    { indexes: { by_file: ['file_id'] } },
  ),
  /** Form drafts. */
  hf_local_drafts: Table.createLocalOnly({
    table_name: column.text,
    record_id: column.text,
    form_id: column.text,
    field_values: column.text,
    updated_at: column.text,
  }),
  /** Imports that can be undone: a row for each with its facts, and rows of its changes with its id in `import_id`. */
  hf_local_imports: Table.createLocalOnly(
    {
      import_id: column.text,
      seq: column.integer,
      file_name: column.text,
      table_name: column.text,
      records: column.integer,
      imported_at: column.text,
      changes: column.text,
    },
    { indexes: { by_import: ['import_id', 'seq'] } },
  ),
  /** Recently opened items. */
  hf_local_recent: Table.createLocalOnly({ kind: column.text, ref: column.text, at: column.text }),
  /** Settings of this device; the id is the setting's name. */
  hf_local_settings: Table.createLocalOnly({ value: column.text }),
}
