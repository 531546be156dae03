//! The rule language's tests: one behaviour a file.

mod aggregates_stand_alone;
mod bodies_are_ordered_for_evaluation;
mod choices_are_not_derived;
mod conflicts_only_grow_with_choices;
mod deep_nesting_is_refused;
mod design_example_loads;
mod disjunctions_and_heads_become_rules;
mod files_include_each_other;
mod last_events_suffice;
mod negation_in_a_cycle_is_shown;
mod no_input_panics;
mod one_mistake_one_message;
mod orders_relate_events;
mod printed_rule_sets_read_back;
mod several_files_are_one_rule_set;
mod souffle_only_features_get_a_hint;
mod strings_and_numbers;
mod subtypes_agree_with_their_parents;
mod support;
mod syntax_errors_are_reported_together;
mod tuples_on_the_command_line;
mod types_that_clash_are_both_shown;
mod unbound_variables_are_blamed_once;
mod unknown_names_get_a_suggestion;
mod unused_things_are_warned_about;
mod wrong_arity_shows_the_declaration;
