// How Route 53 says no: status, code and message, and the XML around them. It must not know the
// reasons.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html

import { branch, leaf, xmlDocument } from "./xml.ts";

/** How an InvalidChangeBatch is written: as it is sent today, or as the API reference has it. */
export type RefusalForm = "error-response" | "invalid-change-batch";

/** A request that Route 53 does not fulfil. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  /** Of an InvalidChangeBatch one for each fault, else one. */
  readonly messages: readonly string[];

  constructor(status: number, code: string, ...messages: readonly string[]) {
    super(`${code}: ${messages.join(", ")}`);
    this.status = status;
    this.code = code;
    this.messages = messages;
  }
}

/** The body of the answer. */
export function refusalXml(refusal: Refusal, form: RefusalForm, requestId: string): string {
  const { code, messages, status } = refusal;
  if (code === "InvalidChangeBatch" && form === "invalid-change-batch") {
    const list = branch("Messages", ...messages.map((message) => leaf("Message", message)));
    return xmlDocument("InvalidChangeBatch", list, leaf("RequestId", requestId));
  }
  const message = code === "InvalidChangeBatch" ? `[${messages.join(", ")}]` : messages.join(", ");
  const error = branch(
    "Error",
    leaf("Type", status < 500 ? "Sender" : "Receiver"),
    leaf("Code", code),
    leaf("Message", message),
  );
  return xmlDocument("ErrorResponse", error, leaf("RequestId", requestId));
}
