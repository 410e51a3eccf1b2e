/** Uploads under way and those that failed. */
import { Icon } from "../icons.tsx";
import { usePart } from "../store.ts";
import { standing } from "./standing.ts";
import { dismissUpload, uploads, type UploadState } from "./uploads.ts";

export function UploadList() {
  const list = usePart(uploads, (state) => state);
  return (
    <div class="uploads">
      {list.map((upload) => (
        <UploadRow key={upload.id} upload={upload} />
      ))}
    </div>
  );
}

function UploadRow({ upload }: { upload: UploadState }) {
  if (upload.problem) {
    return (
      <div class="upload failed" role="alert">
        <Icon name="warning" />
        <p>
          {!upload.problem.startsWith(upload.name) && <strong>{upload.name}</strong>}
          {upload.problem}
        </p>
        <button
          type="button"
          class="icon-button"
          aria-label={`Dismiss the error about ${upload.name}`}
          onClick={() => dismissUpload(upload.id)}
        >
          <Icon name="close" />
        </button>
      </div>
    );
  }
  const { label, share } = standing(upload);
  const doing = upload.share < 1 ? "Uploading" : "Reading";
  return (
    <div class="upload">
      <p>
        <strong>{upload.name}</strong>
        <span role="status">{label}</span>
      </p>
      {share === null ? (
        <progress aria-label={`${doing} ${upload.name}`} />
      ) : (
        <progress max={1} value={share} aria-label={`${doing} ${upload.name}`} />
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={`Cancel the upload of ${upload.name}`}
        onClick={upload.cancel}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
