/** The value that policies read from `storage.operation()`. */
export type Operation =
  | `storage.bucket.${'create' | 'delete' | 'empty' | 'list' | 'get' | 'update'}`
  | `storage.object.${
      | 'upload'
      | 'upload_update'
      | 'upload_signed'
      | 'copy'
      | 'move'
      | 'delete'
      | 'delete_many'
      | 'get_authenticated'
      | 'get_public'
      | 'get_signed'
      | 'info_public'
      | 'sign'
      | 'sign_many'
      | 'sign_upload_url'
      | 'list'
      | 'list_v2'}`
  // Supabase omits the `storage.` prefix for these two.
  | 'object.get_authenticated_info'
  | 'object.head_authenticated_info'
  // Resumable uploads and image rendering.
  | `storage.tus.upload.${'create' | 'part' | 'get' | 'delete'}${'' | '_signed'}`
  | `storage.render.image_${'authenticated' | 'public' | 'sign'}`
  | `storage.s3.${string}`
