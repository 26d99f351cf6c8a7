# What ActiveRecord makes of a row that a guard refuses, marks or leaves out, as docs/recipes.md says.
#
# Prints a line for each thing, which begins with "ok" if it is as the page says. Postgres is where libpq's environment variables say.

require "active_record"
require "json"

FIRST = "The tide mill at Holm was built in 1790 and ground barley for two centuries. It stands on a causeway."
COPY = "The tide mill at Holm was built in 1790, and ground barley for two centuries. It stands on a causeway!"
OTHER = "A lighthouse keeper needs three things, said the old one: oil, patience, and a reason to stay awake."

ActiveRecord::Base.establish_connection(adapter: "postgresql", database: ENV.fetch("PGDATABASE"), min_messages: "error")

class Story < ActiveRecord::Base
end

def expect(what, actual, expected)
  puts(actual == expected ? "ok #{what}" : "#{what}: #{actual.inspect}, not #{expected.inspect}")
end

def protect(action, more)
  Story.connection.execute("TRUNCATE stories RESTART IDENTITY")
  Story.connection.execute("SELECT neardup.protect('stories', 'body', on_duplicate => '#{action}'#{more})")
  Story.reset_column_information
end

# What save does with a copy.
def saved
  Story.transaction do
    Story.new(body: FIRST).save!
    copy = Story.new(body: COPY)
    outcome =
      begin
        Story.transaction(requires_new: true) { copy.save! }
        copy.id ? "stored #{copy.id}" : "no key"
      rescue ActiveRecord::RecordNotUnique => error
        error.cause.result.error_field(PG::Result::PG_DIAG_SQLSTATE)
      end
    Story.new(body: OTHER).save!
    outcome
  end
end

def match(body)
  Story.transaction do
    row = Story.connection.exec_query(
      "SELECT key, duplicate_of, action FROM neardup.insert_or_match('stories', $1::jsonb)", "insert_or_match", [{ body: body }.to_json]
    ).first
    [row["action"], Story.find((row["key"] || row["duplicate_of"]).to_i).id]
  end
end

[
  ["reject", "", "23505"],
  ["mark", "", "stored 2"],
  ["skip", "", "no key"],
  ["merge", ", merge => 'seen_again'", "no key"]
].each do |action, more, outcome|
  protect(action, more)
  expect("ActiveRecord, #{action}", saved, outcome)
  protect(action, more)
  expect("ActiveRecord, #{action}, insert_or_match", [match(FIRST)[0], match(COPY)], ["insert", [action, action == "mark" ? 2 : 1]])
end
