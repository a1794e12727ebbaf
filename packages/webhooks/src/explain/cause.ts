/**
 * What is amiss with a delivery, for programs: a cause keeps its name when its message is reworded.
 * Their names begin with where the trouble is.
 */
export type Cause =
  /** No secret was given; all entries are `undefined`. */
  | "secret_missing"
  /** A secret is empty or only white space. */
  | "secret_blank"
  /** A secret is something other than text. */
  | "secret_not_text"
  /** The function that gives the secrets threw. */
  | "secret_source_failed"
  /** White space, a line break or quotes stand around the secret. */
  | "secret_padded"
  /** The signer's secret has white space, a line break or quotes around it, and ours has not. */
  | "secret_unpadded"
  /** The secret was given without its `whsec_`. */
  | "secret_prefix_missing"
  /** The secret begins with `whsec_` twice. */
  | "secret_prefix_doubled"
  /** The signer used the secret without its `whsec_`. */
  | "secret_prefix_unused"
  /** The signing key is what the secret gives when it is decoded from base64 or hexadecimal. */
  | "secret_encoded"
  /** The signing key is the secret written in base64 or hexadecimal. */
  | "secret_decoded"
  /** Several secrets stand in one text, divided by commas, semicolons or white space. */
  | "secret_list_joined"
  /** Signed with one of `otherSecrets`: the secret of another API key. */
  | "secret_of_other_key"
  /** An API key (`svc_live_…`, `svc_test_…`) was given in place of the webhook secret. */
  | "secret_is_api_key"
  /** The secret is a text such as `undefined` or `${NAME}`: a variable that nobody filled in. */
  | "secret_placeholder"
  /** There is no body. */
  | "body_missing"
  /** The body is an object: something parsed it. */
  | "body_parsed"
  /** Something has read the body before. */
  | "body_read_before"
  /** The body is neither bytes nor text nor a request. */
  | "body_not_bytes"
  /** The body broke off, or a part of it is no bytes. */
  | "body_unreadable"
  /** The body has no bytes at all. */
  | "body_empty"
  /** The body is longer than `maxBodyBytes`. */
  | "body_too_long"
  /** The JSON was parsed and written anew. */
  | "body_rewritten"
  /** A line break was put behind the body or taken from it. */
  | "body_line_end"
  /** CRLF and LF were exchanged. */
  | "body_line_breaks"
  /** A byte order mark was put before the body or taken from it. */
  | "body_byte_order_mark"
  /** The body was decoded or encoded in another charset than UTF-8. */
  | "body_charset"
  /** U+FFFD stands where bytes were that are no UTF-8. */
  | "body_bytes_lost"
  /** The body is base64. */
  | "body_base64"
  /** The body was made a form, or percent-encoded. */
  | "body_form_encoded"
  /** The body is compressed with gzip. */
  | "body_compressed"
  /** The body is a JSON string that holds the JSON. */
  | "body_quoted"
  /** The body is a buffer that was written as JSON, byte by byte. */
  | "body_buffer_json"
  /** There are no headers at all. */
  | "headers_missing"
  /** There are headers, but no `X-Service-Signature`. */
  | "signature_header_missing"
  /** The header is there under a name with underscores or a prefix, as CGI and WSGI write it. */
  | "signature_header_renamed"
  /** There is a signature header of another service. */
  | "signature_header_other"
  /** The header has no value. */
  | "signature_empty"
  /** The value is no text. */
  | "signature_not_text"
  /** White space or quotes stand around the value. */
  | "signature_padded"
  /** The prefix is not in lower case. */
  | "signature_prefix_case"
  /** `sha256=` is missing. */
  | "signature_prefix_missing"
  /** Another prefix stands in place of `sha256=`. */
  | "signature_prefix_wrong"
  /** The digest is in base64. */
  | "signature_base64"
  /** There are too few or too many digits. */
  | "signature_length"
  /** Something other than hexadecimal digits stands in the digest. */
  | "signature_not_hex"
  /** The digest has the length of SHA-1, SHA-384 or SHA-512. */
  | "signature_other_hash"
  /** The value has the format of another service. */
  | "signature_of_other_service"
  /** The same signature came more than once. */
  | "signature_repeated"
  /** Several signatures came that differ. */
  | "signature_contradicted"
  /** The signed bytes are no UTF-8. */
  | "json_not_utf8"
  /** The signed text is no JSON. */
  | "json_syntax"
  /** The signed JSON is no object. */
  | "event_not_object"
  /** A field that has to be there is missing or has a value that it may not have. */
  | "event_field"
  /** `X-Service-Event` says other than the signed body. */
  | "header_event_differs"
  /** `X-Service-Job-Id` says other than the signed body. */
  | "header_job_id_differs"
  /** The event has no `completed_at`, or none that is a time. */
  | "time_missing"
  /** `completed_at` is longer ago than `maxAge`. */
  | "time_too_old"
  /** The signature fits no combination that was tried. */
  | "nothing_fits";

/** One thing that is amiss, or may be. */
export interface Finding {
  readonly cause: Cause;
  /**
   * Whether this is sure. A trouble with secret, body or signature is proven when the signature
   * fits once it is undone; otherwise it was only seen, and may have nothing to do with it.
   */
  readonly proven: boolean;
  /** What is wrong, and where. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
}

/** A trouble before it is put into words. */
export interface CauseFinding {
  readonly cause: Cause;
  /** Where, or in which form: words of ours, and nothing of the delivery. */
  readonly detail?: string | undefined;
}
